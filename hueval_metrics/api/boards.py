"""What a leaderboard may use of the engine: this file, `errors`, `features` and `version` alone.

Each name is imported when it is first asked for: a web server loads what its pages need.

Families and their data
    `families`, `Family`; `task_spec`, `TaskSpec`: a task by its name; `resolve`: an object by its dotted path;
    `dataset_repo`, `Table`, `Row`, `load_rows`, `locate`, `MissingError`: the rows of a table; `documents`: what is
    asked and scored; `key_fields`, `own_yaml`.
Submissions
    `SubmissionFormat`, `Target`: a file of one task; `task_in`: the task that a row names; `is_archive`, `unpacked`,
    `ArchiveError`.
Scores
    `Metric`, `Signature`, `TaskScore`; `joint_scores`, `MetricTerms`: metrics with how they vary together;
    `paired_differences`, `difference_ci95`; `decided`, `published_task`, `standings`, `Standing`: wins and mean ranks;
    `published_tables`: rows out of papers.
Judges
    `JudgePlan`, `JudgeSettings`, `judge_settings`, `require_judge`, `load_rubric`, `rubric_id`, `ledger`,
    `check_budget`.
Figures of pages
    `Figure`, `Sheet`, `Theme`, `DARK`, `LIGHT`, `SMALL`, `NARROW`, `WIDE`, `NUMBER`, `marked_svg`.
Text of others, and files
    `one_line`, `printable`, `plain`, `csv_text`, `json_text`, `write_whole`, `read_bytes`, `locked`.
The command line
    `DONE`, `USER_ERROR`, `warn_of_unknown`.
"""

TYPE_CHECKING = False  # as `typing` has it, whose import would take most of the time
if TYPE_CHECKING:
    # ruff: noqa: F401
    from hf_datasets.load import load as load_rows
    from hf_datasets.locate import locate
    from hf_datasets.repo import MissingError, Row, Table, dataset_repo
    from hueval_metrics.comparison.published import published_tables
    from hueval_metrics.declare import Family
    from hueval_metrics.environment import warn_of_unknown
    from hueval_metrics.exit_status import DONE, USER_ERROR
    from hueval_metrics.judge.configured import judge_settings
    from hueval_metrics.judge.ledger import check_budget, ledger
    from hueval_metrics.judge.readiness import require_judge
    from hueval_metrics.judge.rubric import load_rubric, rubric_id
    from hueval_metrics.judge.settings import JudgeSettings
    from hueval_metrics.loader import documents
    from hueval_metrics.metric import Metric
    from hueval_metrics.one_line import one_line, printable
    from hueval_metrics.records import Signature
    from hueval_metrics.registry import TaskSpec, families, key_fields, resolve, task_spec
    from hueval_metrics.reports.escape import plain
    from hueval_metrics.reports.figures.figure import Figure, marked_svg
    from hueval_metrics.reports.figures.sheet import NARROW, NUMBER, WIDE, Sheet
    from hueval_metrics.reports.figures.theme import DARK, LIGHT, SMALL, Theme
    from hueval_metrics.scoring.judged import JudgePlan
    from hueval_metrics.scoring.score import TaskScore
    from hueval_metrics.stats.joint import MetricTerms, joint_scores
    from hueval_metrics.stats.paired import paired_differences
    from hueval_metrics.stats.two_sample import difference_ci95
    from hueval_metrics.stats.wins import Standing, decided, published_task, standings
    from hueval_metrics.submission.archive import ArchiveError, is_archive, unpacked
    from hueval_metrics.submission.formats import SubmissionFormat, Target
    from hueval_metrics.submission.predictions import task_in
    from hueval_metrics.text.files import locked, read_bytes, write_whole
    from hueval_metrics.text.foreign import own_yaml
    from hueval_metrics.text.spreadsheet import csv_text
    from hueval_metrics.text.write_json import json_text

_HOMES = {  # module → the names that it has
    "hf_datasets.locate": "locate",
    "hf_datasets.repo": "MissingError Row Table dataset_repo",
    "hueval_metrics.comparison.published": "published_tables",
    "hueval_metrics.declare": "Family",
    "hueval_metrics.environment": "warn_of_unknown",
    "hueval_metrics.exit_status": "DONE USER_ERROR",
    "hueval_metrics.judge.configured": "judge_settings",
    "hueval_metrics.judge.ledger": "check_budget ledger",
    "hueval_metrics.judge.readiness": "require_judge",
    "hueval_metrics.judge.rubric": "load_rubric rubric_id",
    "hueval_metrics.judge.settings": "JudgeSettings",
    "hueval_metrics.loader": "documents",
    "hueval_metrics.metric": "Metric",
    "hueval_metrics.one_line": "one_line printable",
    "hueval_metrics.records": "Signature",
    "hueval_metrics.registry": "TaskSpec families key_fields resolve task_spec",
    "hueval_metrics.reports.escape": "plain",
    "hueval_metrics.reports.figures.figure": "Figure marked_svg",
    "hueval_metrics.reports.figures.sheet": "NARROW NUMBER WIDE Sheet",
    "hueval_metrics.reports.figures.theme": "DARK LIGHT SMALL Theme",
    "hueval_metrics.scoring.judged": "JudgePlan",
    "hueval_metrics.scoring.score": "TaskScore",
    "hueval_metrics.stats.joint": "MetricTerms joint_scores",
    "hueval_metrics.stats.paired": "paired_differences",
    "hueval_metrics.stats.two_sample": "difference_ci95",
    "hueval_metrics.stats.wins": "Standing decided published_task standings",
    "hueval_metrics.submission.archive": "ArchiveError is_archive unpacked",
    "hueval_metrics.submission.formats": "SubmissionFormat Target",
    "hueval_metrics.submission.predictions": "task_in",
    "hueval_metrics.text.files": "locked read_bytes write_whole",
    "hueval_metrics.text.foreign": "own_yaml",
    "hueval_metrics.text.spreadsheet": "csv_text",
    "hueval_metrics.text.write_json": "json_text",
}
_OFFERED = {name: (module, name) for module, names in _HOMES.items() for name in names.split()}
_OFFERED["load_rows"] = ("hf_datasets.load", "load")
__all__ = [*_OFFERED]

if not TYPE_CHECKING:  # type checkers see the imports above, and report any other name

    def __getattr__(name):
        if name not in _OFFERED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _OFFERED[name]
        value = globals()[name] = getattr(import_module(module), attribute)
        return value
