"""The two settings of the paper (§4.2): questions in the task's own language, and in English."""

from __future__ import annotations

from hueval_metrics.runs.settings import OWN
from lm_eval_tasks.kolassimpleqa.languages import PIVOT, WORDS

SETTINGS = {  # as `runs.settings.setting_of` names them → title by language
    OWN: WORDS.texts("setting.own"),
    PIVOT: WORDS.texts("setting.pivot"),
}
