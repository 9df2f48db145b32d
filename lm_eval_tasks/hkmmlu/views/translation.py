"""Translation in both directions: Table 2 of the paper, as the texts are and with both in one script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hueval_metrics.registry import families
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.formats import Block, Column
from hueval_metrics.reports.views import ViewSettings, check_metric
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import by_values
from lm_eval_tasks.hkmmlu.metrics import TRANSLATION
from lm_eval_tasks.hkmmlu.published_tables import AVERAGE, models, printed
from lm_eval_tasks.hkmmlu.views.grid import Paper, Row, Score, block
from lm_eval_tasks.hkmmlu.views.words import word

_METRICS = {"bleu": "BLEU", "meteor": "METEOR", "rouge_l": "ROUGE-L"}
_DIRECTIONS = {"hkmmlutr_yue_to_zh": "C→M", "hkmmlutr_zh_to_yue": "M→C"}
_NORMALISED = "_norm"


def translation(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """BLEU, METEOR, ROUGE-L and their mean (Table 2); or the metric asked for alone."""
    check_metric(families()["hkmmlu"], settings.metric)
    asked = (settings.metric or "").removesuffix(_NORMALISED)
    if settings.metric is not None and settings.metric not in TRANSLATION:
        return []
    named = {**_METRICS, "avg": word(settings, "average")}
    metrics = {asked: named.get(asked, asked)} if asked else named
    found: list[Block] = []
    for suffix in ("", _NORMALISED):
        if all(metric + suffix in TRANSLATION for metric in metrics):
            found += _of_texts(runs, settings, {metric + suffix: title for metric, title in metrics.items()}, suffix)
    return found


def _of_texts(runs: Sequence[Run], settings: ViewSettings, metrics: dict[str, str], suffix: str) -> Iterator[Block]:
    """A table for each unit in which words were counted."""
    places = [(task, metric) for metric in metrics for task in _DIRECTIONS]
    columns = [Column(_DIRECTIONS[task], metrics[metric]) for task, metric in places]
    by_model = by_values(runs, list(_DIRECTIONS), ("units",))
    for units in ("char", "word"):
        rows, notes = [], [word(settings, "intervals")]
        for model, of_model in by_model.items():
            having = of_model.get((units,), ())
            scores = [next((one for run in having if (one := _score(run, *place))), None) for place in places]
            rows.append(Row(model, scores))
            if sum(set(_DIRECTIONS) <= run.tasks.keys() for run in having) > 1:
                first = f"{row_name(having[0].label)} (units={units})"
                notes.append(word(settings, "several", model=row_name(model), first=first))
        paper = None
        if settings.published and not suffix and units == "char":
            figures = {
                (model, ""): [printed(2, model, "/".join(place)) for place in places] for model in (*models(), AVERAGE)
            }
            paper = Paper(2, figures)
        title = word(settings, "table2") + word(settings, "normalised") * bool(suffix)
        title += word(settings, "words") * (units == "word")
        better = TRANSLATION[places[0][1]].better
        yield from block(title, rows, columns, runs, settings, paper=paper, better=better, notes=notes)


def _score(run: Run, task: str, metric: str) -> Score | None:
    value = run.score(task, metric)
    return None if value is None else Score(run, value, run.result(task).intervals.get(metric))
