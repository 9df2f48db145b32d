"""The group and tags of the tasks, and a prompt for each language."""

from __future__ import annotations

import pytest
import yaml

from hueval_metrics.registry import task_spec
from hueval_metrics.text.langid import is_in_language
from lm_eval_tasks.kolassimpleqa import documents
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, PIVOT
from tests.each import each

PROMPTS = (*LANGUAGES, PIVOT)


def test_the_group_has_every_task_and_the_tags_their_own():
    group = yaml.safe_load((FAMILY.folder / "kolassimpleqa.yaml").read_text(encoding="utf-8"))
    assert (group["group"], group["task"]) == ("kolassimpleqa", list(FAMILY.tasks))
    for language in LANGUAGES:
        for domain in DOMAINS:
            config = task_spec(f"kolassimpleqa_{language}_{domain}").config
            assert config["tag"] == [f"kolas-{language}", f"kolas-{domain}"]
            assert config["num_fewshot"] == 0
            assert config["metadata"]["question_lang"] == language


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kolas-zh", ["kolassimpleqa_zh_general", "kolassimpleqa_zh_specific"]),
        ("kolas-specific", [name for name in FAMILY.tasks if name.endswith("specific")]),
        ("kolassimpleqa", list(FAMILY.tasks)),
    ],
)
def test_lm_eval_finds_the_tasks_by_tag_and_group(name, expected):
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(FAMILY.folder), include_defaults=False)
    assert sorted(manager.load([name])["tasks"]) == sorted(expected)


@each("lang", PROMPTS)
def test_a_prompt_is_in_its_language(lang):
    assert is_in_language(documents.template(lang).replace("{question}", ""), (lang,))


@each("lang", PROMPTS)
def test_a_prompt_asks_for_the_two_keys_once_each(lang):
    text = documents.template(lang)
    assert [text.count(part) for part in ("{question}", '"answer"', '"confidence_score"')] == [1, 1, 1]
    assert "100" in text


def test_there_is_a_prompt_of_each_language_and_no_other():
    assert sorted(path.stem for path in documents.PROMPTS.glob("*.txt")) == sorted(PROMPTS)


def test_a_language_without_a_prompt():
    with pytest.raises(ValueError, match="no prompt in the language 'de'"):
        documents.template("de")
