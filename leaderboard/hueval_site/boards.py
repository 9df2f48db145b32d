"""The boards that families declare in `site.yaml`: task, hidden fields, columns, limits, phases, texts.

A broken declaration stops the site where it starts, in one line: a board that is not what its file says would be found
by its users.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _
from pydantic import Field, ValidationError, model_validator

from hueval_metrics.api.boards import (
    Family,
    Metric,
    Row,
    SubmissionFormat,
    Table,
    Target,
    TaskSpec,
    dataset_repo,
    families,
    judge_settings,
    load_rows,
    load_rubric,
    one_line,
    own_yaml,
    resolve,
    rubric_id,
    task_spec,
)
from hueval_metrics.errors import HuevalError, InputError
from hueval_site.board_parts import Address, Download, Entry, Example, Limits
from hueval_site.localized import language
from hueval_site.phases import Dates, Phases

LANGUAGES = ("hu", "en")
PRACTICE = "-practice"  # after the task, which has no such sign in its name
METHODS = ("task_of", "example", "check", "score")  # of a `SubmissionFormat`
Texts = Mapping[str, str]


class Board(Entry):
    """One board.

    Attributes:
        task: the task's name, which is also the board's.
        heading: its title; empty for the task's.
        variants: key of `--metadata` → value, such as `split`.
        hidden: fields of the data that readers do not have; empty where the answers are public.
        metrics: columns, the first of which orders the board.
        columns: metric → heading in both languages, where it is not that of the declaration.
        format: dotted path of a `submission.formats.SubmissionFormat`.
        limits: how often.
        phases: practice and test, with their dates.
        download: where the data come from.
        example: the row that its page shows.
        description, why: language → what the task asks for; why these metrics.
        publications: URLs.
    """

    task: str
    heading: str = ""
    variants: Mapping[str, str | int] = Field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    metrics: Annotated[tuple[str, ...], Field(min_length=1)]
    columns: Mapping[str, Texts] = Field(default_factory=dict)
    format: str = "hueval_metrics.submission.predictions.FORMAT"
    limits: Limits = Limits()
    phases: Phases = Phases()
    download: Download
    example: Example = Example()
    description: Texts
    why: Texts
    publications: tuple[Address, ...] = ()

    @model_validator(mode="after")
    def _has_both_languages(self) -> Board:
        texts = {"description": self.description, "why": self.why}
        texts |= {f"columns.{name}": heading for name, heading in self.columns.items()}
        for name, text in texts.items():
            if missing := [language for language in LANGUAGES if not text.get(language, "").strip()]:
                raise ValueError(f"{name} has no text in {' and '.join(missing)}")
        return self

    @property
    def own_task(self) -> str:
        """The name of the task, which is that of the board unless it is one for practice."""
        return self.task

    @property
    def is_practice(self) -> bool:
        """Whether it is one for practice, whose results stay with their teams."""
        return self.task != self.own_task

    @property
    def dates(self) -> Dates:
        """The dates of its phase."""
        return self.phases.test

    @property
    def spec(self) -> TaskSpec:
        """The task."""
        return task_spec(self.own_task)

    @property
    def practice(self) -> PracticeBoard | None:
        """The board of its practice phase; None where it has none."""
        found = self.phases.practice
        if found is None or self.is_practice:
            return None
        changed = {"variants": {**self.variants, **found.variants}, "hidden": (), "limits": found.limits}
        changed |= {"heading": self.title, "task": self.task + PRACTICE}
        board = PracticeBoard.model_construct(**dict(self) | changed)
        # The guard against labels in a public test file is that of the board itself: the test file is offered there.
        files = tuple(name for name in self.download.files if name != f"{self.table.repo.name}/{self.table}")
        return board.model_copy(update={"download": self.download.model_copy(update={"files": files})})

    @property
    def family(self) -> Family:
        """The family of the task."""
        return self.spec.family

    @property
    def title(self) -> str:
        """The title: that of the task, as its paper calls it, unless the board has one of its own."""
        return self.heading or self.spec.declared.title

    @property
    def first_metric(self) -> Metric:
        """The metric that orders the board."""
        return self.spec.metrics[self.metrics[0]]

    @property
    def higher_is_better(self) -> bool:
        """Whether the highest score of the first metric is the best one."""
        return self.first_metric.better != "lower"

    @property
    def headings(self) -> dict[str, str]:
        """Metric → heading of its column, in the language of the page."""
        declared = self.spec.declared.headline
        return {
            name: self.columns[name][language()] if name in self.columns else declared.get(name, name)
            for name in self.metrics
        }

    @property
    def is_judged(self) -> bool:
        """Whether a judge scores the answers."""
        return self.spec.rubric is not None

    @property
    def scores_all(self) -> bool:
        """Whether it scores teams that staff have not admitted: there are no labels to learn, and it costs nothing."""
        return not self.hidden and not self.is_judged

    @property
    def table(self) -> Table:
        """The split of the data set that has its items."""
        split = self.spec.variants(self.variants).get("split", "test")
        return dataset_repo(self.family.data_set).table(self.spec.data_config, str(split))

    def rows(self, folder: Path) -> list[Row]:
        """The rows of its split in a folder of data.

        Raises:
            DataError: they are not there, or broken.
        """
        return load_rows(self.table.repo, self.table.config.name, self.table.split.name, folder).rows

    @property
    def fixed(self) -> dict[str, Any]:
        """What scores depend on besides the labels: if it changes, rows are not comparable, and a new season begins.

        The judge is that of the environment of this process, which only the worker has to have; `judge` is missing
        where none is configured.

        Raises:
            InputError: a setting of the judge is not usable.
        """
        found: dict[str, Any] = {"version": self.spec.version, "variants": dict(self.variants)}
        if self.spec.rubric is None:
            return found
        judge = judge_settings()
        known = {"judge": judge.name} if judge.is_configured and judge.mode != "defer" else {}
        return found | {"rubric": rubric_id(load_rubric(self.spec.rubric))} | known

    @property
    def submission_format(self) -> SubmissionFormat:
        """The format of its files."""
        found: SubmissionFormat = resolve(self.format)
        return found

    @property
    def public_target(self) -> Target:
        """The task with what everybody may read."""
        return Target(self.own_task, self.variants, settings.CONFIG.data_dir)

    @property
    def hidden_target(self) -> Target:
        """The task with its reference answers; only the worker can read them where they are hidden."""
        folder = settings.CONFIG.labels_dir if self.hidden else settings.CONFIG.data_dir
        return Target(self.own_task, self.variants, folder)


class PracticeBoard(Board):
    """The practice phase of a board: the same task on public rows, with exact scores, for every team."""

    @property
    def own_task(self) -> str:
        """See `Board.own_task`."""
        return self.task.removesuffix(PRACTICE)

    @property
    def dates(self) -> Dates:
        """See `Board.dates`."""
        return self.phases.practice or Dates()

    @property
    def title(self) -> str:
        """That of the board, and that it is for practice."""
        return _("%(board)s (practice)") % {"board": self.heading}


def boards() -> Mapping[str, Board]:
    """Task → board, of all families in their order, as far as this site has them (`Config.boards`); no practice.

    Raises:
        InputError: a declaration has a fault, or a pattern of `Config.boards` names no board.
    """
    return _chosen(tuple(settings.CONFIG.boards))


def every_board() -> Mapping[str, Board]:
    """The same with the boards of practice phases, each behind its own.

    Raises:
        InputError: see `boards`.
    """
    return _with_practice(tuple(settings.CONFIG.boards))


def find_board(task: str) -> Board:
    """The board of a task that a command names.

    Raises:
        InputError: there is none.
    """
    if task not in every_board():
        raise InputError(f"{one_line(task, 80)}: no board. {_nearest(task, boards())}")
    return every_board()[task]


def board_or_404(task: str) -> Board:
    """The board of a task that an address names.

    Raises:
        Http404: there is none.
    """
    if task not in every_board():
        raise Http404
    return every_board()[task]


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}"


@cache
def _chosen(patterns: tuple[str, ...]) -> Mapping[str, Board]:
    known = _declared()
    if unknown := [one for one in patterns if not any(fnmatchcase(task, one) for task in known)]:
        raise InputError(f"HUEVAL_SITE_BOARDS: no board is called {unknown[0]}. {_nearest(unknown[0], known)}")
    chosen = {task for task in known if not patterns or any(fnmatchcase(task, one) for one in patterns)}
    return {task: board for task, board in known.items() if task in chosen}


@cache
def _with_practice(patterns: tuple[str, ...]) -> Mapping[str, Board]:
    found = (one for board in _chosen(patterns).values() for one in (board, board.practice) if one is not None)
    return {board.task: board for board in found}


@cache
def _declared() -> Mapping[str, Board]:
    return {board.task: board for family in families().values() if family.site for board in _read(family, family.site)}


def boards_of(family: str) -> list[Board]:
    """The boards of a family, in their order."""
    return [board for board in boards().values() if board.family.name == family]


class _File(Entry):
    boards: Annotated[tuple[Board, ...], Field(min_length=1)]


def _read(family: Family, path: Path) -> tuple[Board, ...]:
    try:
        declared = own_yaml(path)
        found = _File.model_validate(declared).boards
    except ValidationError as error:
        raise InputError(f"{path}: {_first_fault(error, declared)}. Fix it there") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}). Fix the file, or `site` of {family.title}") from None
    except ValueError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}. Fix the YAML there") from None
    counts = Counter(board.task for board in found)
    if repeated := [task for task, count in counts.items() if count > 1]:
        raise InputError(f"{path}: {', '.join(repeated)} has several boards, expected one. Remove the others")
    for board in found:
        for fault in _faults(board, family):
            raise InputError(f"{path}: {board.task}: {fault}")
        for fault in _practice_faults(board, family):
            raise InputError(f"{path}: {board.task}: phases.practice: {fault}")
    return found


def _first_fault(error: ValidationError, declared: Any) -> str:
    """Where the first fault is, by the name of its task, and what it is."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = [str(part) for part in first["loc"]]
    if len(where) > 1 and where[1].isdigit():
        entry = declared["boards"][int(where[1])]
        named = entry.get("task") if isinstance(entry, dict) else None
        where = [str(named or f"boards.{where[1]}"), *([".".join(where[2:])] if where[2:] else [])]
    return ": ".join([*where, first["msg"].removeprefix("Value error, ")])


def _faults(board: Board, family: Family) -> Iterator[str]:
    """What contradicts the declaration of the family, its data set or the format."""
    if board.own_task not in family.tasks:
        yield f"is no task of {family.title}. Name one of its tasks"
        return
    if unknown := [name for name in board.metrics if name not in board.spec.metrics]:
        yield f"has no metric {', '.join(unknown)}. Name some of {', '.join(board.spec.metrics)}"
    if unknown := [name for name in board.columns if name not in board.metrics]:
        yield f"columns: {', '.join(unknown)} is not among its metrics. Add it there, or leave it out"
    known = board.spec.variants({}).keys()
    if strangers := sorted(board.variants.keys() - known):
        yield f"has no variant {', '.join(strangers)}. Name some of {', '.join(known)}"
    try:
        fields = board.table.config.row.model_fields
    except HuevalError as error:
        yield f"{error}"
        return
    for name, given in (("hidden", board.hidden), ("example.fields", board.example.fields)):
        if missing := [field for field in given if field not in fields]:
            yield f"{name}: its data have no field {', '.join(missing)}. Name some of {', '.join(fields)}"
    if shown := sorted({*board.hidden} & {*board.example.fields}):
        yield f"example.fields: {', '.join(shown)} is hidden. Leave it out"
    try:
        taken = board.submission_format
    except (ImportError, AttributeError, ValueError) as error:
        yield f"format: {board.format} cannot be imported ({error}). Name a submission.formats.SubmissionFormat"
        return
    if lacking := [name for name in METHODS if not callable(getattr(taken, name, None))]:
        yield f"format: {board.format} has no {', '.join(lacking)}. Name a submission.formats.SubmissionFormat"
    elif missing := [language for language in LANGUAGES if not taken.help.get(language)]:
        yield f"format: {board.format} has no help in {' and '.join(missing)}. Add it there"


def _practice_faults(board: Board, family: Family) -> Iterator[str]:
    practice = board.practice
    if practice is None:
        return
    if faults := list(_faults(practice, family)):
        yield from faults
    elif practice.table == board.table:
        yield "variants: name the rows of the test. Name a split whose answers are public"
