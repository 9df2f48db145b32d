"""One self-contained HTML page of runs: tables with intervals, figures, and a browser of all items.

The page makes no network request. Its contents come from untrusted files: Jinja2 escapes them, the texts of items are
packed and shown as plain text only, and the page's content security policy allows its one script and one style sheet
by hash and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.comparison.errata import Errata
from hueval_metrics.comparison.summaries import summary_scores
from hueval_metrics.errors import InputError
from hueval_metrics.features import warn
from hueval_metrics.registry import CALIBRATED
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.figures.build import figures
from hueval_metrics.reports.figures.figure import Figure, save
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.ruler import CHARACTERS, Ruler
from hueval_metrics.reports.figures.scores import SCORES
from hueval_metrics.reports.notes import NARROW, POLICIES, narrow_note, notes
from hueval_metrics.reports.page import browser, pictures, words
from hueval_metrics.reports.page import tables as page_tables
from hueval_metrics.reports.page.answers import Answers, PackedAnswers
from hueval_metrics.reports.page.conclusion import best_first, conclusions
from hueval_metrics.reports.page.errata import errata_part
from hueval_metrics.reports.page.items import Items
from hueval_metrics.reports.page.marks import Marks, differing, overview_metrics
from hueval_metrics.reports.page.parts import Lengths, parts
from hueval_metrics.reports.page.section import Section, with_findings
from hueval_metrics.reports.page.views import family_views
from hueval_metrics.runs.items import Item, OnFault, items_of
from hueval_metrics.runs.recount import Recount
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.runs.table import TaskItems
from hueval_metrics.stats.paired import MCNEMAR, PERMUTATION
from hueval_metrics.text.files import whole_file
from hueval_metrics.version import __version__
from hueval_metrics.words.texts import ENGLISH, LANGUAGES, Texts, listed, numerals

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

ItemsOf = Callable[[Run, OnFault], Iterator[Item]]
SectionOf = Callable[[Sequence[Run], OnFault], Section | None]

_TEMPLATES = Path(__file__).with_name("templates")
_ITEMS = ("data", "texts", "diff", "find", "view", "list", "export", "address", "keys", "browse")
_SCRIPTS = ("shared.js", "page.js", "figures.js", *(f"items/{name}.js" for name in _ITEMS))  # joined in this order
_STYLES = ("page.css", "figures.css", "items.css")
_LIVE_WORDS = (
    *(
        "live_running",
        "live_scoring",
        "live_stopped",
        "live_resume",
        "live_finished",
        "live_gone",
        "live_waiting",
        "live_answers",
    ),
    *("live_rate", "live_left", "live_elapsed", "live_idle", "live_new", "live_results", "live_show"),
    *("live_seconds", "live_minutes", "live_hours"),
)

_UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")

log = logging.getLogger(__name__)


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    language: str = ENGLISH,
    figures_dir: Path | None = None,
    faults: Sequence[str] = (),
    sections: Sequence[SectionOf] = (),
    ruler: Ruler = CHARACTERS,
    errata: Errata | None = None,
) -> None:
    """Write the page, atomically; its folder is created.

    What cannot be read or compared is left out, logged in one line, and listed in the page's notes.

    Args:
        runs: at least one run; the page has the best models first, and baselines last.
        path: the HTML file; an older one is replaced.
        language: the page's initial language; readers can switch it.
        figures_dir: folder for the figures as SVG, PNG and CSV; None to write none.
        faults: messages on files that could not be read.
        sections: make the sections that features add.
        ruler: measures texts for a family's own figures of lengths.
        errata: keys of the items that may be wrong, for a section on them; None for none.

    Raises:
        InputError: the file or the folder of figures cannot be written.
    """
    pieces = page(
        runs, language=language, figures_dir=figures_dir, faults=faults, sections=sections, ruler=ruler, errata=errata
    )
    with whole_file(path) as write:
        for piece in pieces:
            write(piece.encode("utf-8", "replace"))


def stored_items(run: Run, on_fault: OnFault) -> Iterator[Item]:
    """The items of a run in the files beside its results."""
    return items_of(run, None, on_fault)


def page(
    runs: Sequence[Run],
    *,
    language: str = ENGLISH,
    figures_dir: Path | None = None,
    faults: Sequence[str] = (),
    sections: Sequence[SectionOf] = (),
    items: ItemsOf = stored_items,
    progress: Mapping[str, Any] | None = None,
    ruler: Ruler = CHARACTERS,
    errata: Errata | None = None,
) -> Iterator[str]:
    """The page, in pieces; without any run, one that waits for it.

    Args:
        runs, language, figures_dir, faults, sections, ruler, errata: as for `write_report`.
        items: the items of a run.
        progress: what the bar of a page that is served live shows first; None for a page that is a file.

    Raises:
        InputError: the folder of figures cannot be written.
    """
    if not runs:
        waiting = _environment(language).get_template("waiting.html")
        return waiting.generate(language=language, **_frame(progress, ("shared.js",)))
    runs = best_first(runs)
    reported = list(faults)
    added = [section for make in sections if (section := make(runs, reported.append)) is not None]
    content = gather(runs, items, added, ruler)
    runs = content.runs
    drawn = figures(content.figures, runs)
    if figures_dir is not None:
        save([*drawn, *(figure for section in added for figure in section.figures)], figures_dir)
    values = _values(runs, content, drawn, language, reported, added, errata)
    scripts: list[str | Path] = [*_SCRIPTS, *(file for section in added for file in section.scripts)]
    styles: list[str | Path] = [*_STYLES, *(file for section in added for file in section.styles)]
    environment = _environment(language, [section.template.parent for section in added])
    return environment.get_template("page.html").generate(**values, **_frame(progress, scripts, styles))


def gather(
    runs: Sequence[Run],
    items: ItemsOf = stored_items,
    sections: Sequence[Section] = (),
    ruler: Ruler = CHARACTERS,
) -> Content:
    """Read the items of all runs, each file once, one run after another; `sections` say what was found in traces."""
    content = Content(figures=FigureData(ruler))
    marking = with_findings(sections)
    find = marking.findings if marking else None
    for place, run in enumerate(runs):
        answers = Answers(content.items, findings=find and partial(find, place))
        columns = {task: TaskItems(task, run.label, run.result(task).signature) for task in run.tasks}
        metrics = {task: overview_metrics(task) for task in run.tasks}
        faults: list[str] = []
        n_repeated, counted = 0, Recount(run)
        for item in items(run, faults.append):
            counted.add(item)
            if answers.add(item):
                content.figures.add(place, item)
                content.lengths.add(place, item)
            else:
                n_repeated += 1
            columns[item.task].add(item, metrics[item.task])  # repeated items too: a task with any is not compared
        if n_repeated:
            faults.append(f"{n_repeated} of its rows are of items that were there already; the first of each counts")
        content.runs.append(counted.run)
        content.answers.append(answers.packed())
        content.columns.append(columns)
        content.faults += [(run.label, fault) for fault in dict.fromkeys(faults)]  # each task reports a missing file
    return content


def _values(
    runs: Sequence[Run],
    content: Content,
    drawn: Sequence[Figure],
    language: str,
    faults: Sequence[str],
    added: Sequence[Section],
    errata: Errata | None,
) -> dict[str, Any]:
    """The variables of the template."""
    marks = differing([columns for run, columns in zip(runs, content.columns, strict=True) if not is_baseline(run)])
    remarks = [*map(words.spans, notes(runs)), *_warnings(runs), *_problems(runs, content, marks, faults)]
    try:
        shown = [pictures.picture(figure) for figure in drawn]
        of_sections = [[pictures.picture(figure) for figure in section.figures] for section in added]
    except InputError as error:  # matplotlib is an extra
        log.warning("%s", error)
        shown, of_sections, remarks = [], [[] for _ in added], [*remarks, words.both("no_figures", problem=str(error))]
    others_read = {run.label: one.n_other for run, one in zip(runs, content.answers, strict=True) if one.n_other}
    filled = _filled(added, of_sections, others_read)
    summaries = [summary_scores(run, items) for run, items in zip(runs, content.columns, strict=True)]
    overviews = page_tables.overviews(runs, marks.differs, summaries)
    scores = [score for overview in overviews for row in overview.rows for score in row.scores]
    extras = parts(runs, drawn, content.lengths, marks)
    extras += [errata_part(errata, content.items.starts())] if errata is not None else []
    metric_tables = page_tables.metric_tables(runs, summaries)
    views = family_views(runs, summaries)
    first, *others = shown if shown and drawn[0].name == SCORES else [None, *shown]
    sections = [
        "overview",
        *["figures"] * bool(others),
        *(section.id for section, _ in filled),
        *["views"] * bool(views),
        "items",
        *(part.id for part in extras),
        "metrics",
    ]
    sections += ["signatures"] * any(table.signatures for table in metric_tables)
    return {
        "language": language,
        "version": __version__,
        "sections": sections,
        "notes": remarks,
        "n_runs": len(runs),
        "n_models": sum(not is_baseline(run) for run in runs),
        "n_tasks": len({task for run in runs for task in run.tasks}),
        "conclusions": conclusions(runs, marks, summaries),
        "policies": POLICIES,
        "families": ", ".join(overview.title for overview in overviews),
        "overviews": overviews,
        "has_places": any(score.place for score in scores),
        "has_flags": any(score.flag for score in scores),
        "has_dash": any(score.has_run and not score.text for score in scores),
        "has_untested": any(score.mark == page_tables.UNTESTED for score in scores),
        "has_narrow": any(NARROW in score.interval for score in scores),
        "narrow": [*map(words.spans, narrow_note(runs))],
        "test": _listed_tests(marks),
        "has_calibrated": any(one.metric.endswith(CALIBRATED) for each in overviews for one in each.columns),
        "added": [(section.template.name, values) for section, values in filled],
        "has_findings": with_findings(added) is not None,
        "views": views,
        "scores_figure": first,
        "figures": others,
        "extras": extras,
        "tables": metric_tables,
        "n_items": len(content.items.keys),
        "has_readings": any(one.kinds for one in content.answers),
        "cut": [row_name(run.label) for run, one in zip(runs, content.answers, strict=True) if one.is_cut],
        "data": [(name, _verbatim(text)) for name, text in browser.data(runs, content.items, content.answers, added)],
    }


def _filled(
    added: Sequence[Section], drawn: Sequence[Sequence[pictures.Picture]], others_read: Mapping[str, int]
) -> list[tuple[Section, object]]:
    """The sections of features with the values of their templates; one that raises is left out with a warning."""
    filled = []
    for section, of_section in zip(added, drawn, strict=True):
        try:
            filled.append((section, section.values(of_section, others_read)))
        except Exception as error:  # whatever a feature raises, the page is written
            warn(section.where, error)
    return filled


def _frame(
    progress: Mapping[str, Any] | None, scripts: Sequence[str | Path], styles: Sequence[str | Path] = _STYLES
) -> dict[str, Any]:
    """Script, style and policy of a page; one that is served live has a bar that asks for the progress."""
    is_live = progress is not None
    script, style = _joined([*scripts, *["live.js"] * is_live]), _joined([*styles, *["live.css"] * is_live])
    policy = _policy(script, style) + "; connect-src 'self'" * is_live
    live = {key: [words.page_words().of(language)[key] for language in LANGUAGES] for key in _LIVE_WORDS if is_live}
    return {
        "policy": policy,
        "script": _verbatim(script),
        "style": _verbatim(style),
        "progress": progress,
        "live_words": live,
    }


def _joined(names: Sequence[str | Path]) -> str:
    """Files of the templates, or with a path of their own, as one text."""
    return "\n".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def _policy(script: str, style: str) -> str:
    """The content security policy for a `<meta>` (W3C, Content Security Policy Level 3, §2.3.1).

    It allows the script and the style sheet with these texts, exactly as they are between their tags, and nothing
    else: markup that slipped through an escape could neither run nor load.
    """
    sources = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    return (
        f"default-src 'none'; script-src 'sha256-{sources[0]}'; style-src 'sha256-{sources[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _listed_tests(marks: Marks) -> Texts | None:
    """The names of the tests that were used, by language; None without a test."""
    names = {MCNEMAR: "mcnemar", PERMUTATION: "permutation"}
    keys = [names[test] for test in sorted(marks.tests)]
    return listed(map(words.texts, keys)) if keys else None


def _warnings(runs: Sequence[Run]) -> list[Markup]:
    """What calibrated scores warn of, as notes."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        warnings = [line for result in run.tasks.values() if result.calibration for line in result.calibration.warnings]
        found |= {run.label: dict.fromkeys(warnings)} if warnings else {}
    return [
        words.both("calibration_warning", run=row_name(label), problem=_quoted("; ".join(lines)))
        for label, lines in found.items()
    ]


def _problems(runs: Sequence[Run], content: Content, marks: Marks, faults: Sequence[str]) -> list[Markup]:
    """Log what could not be read or compared, and return it as notes."""
    for problem in [*(f"{label}: {fault}" for label, fault in content.faults), *marks.problems]:
        log.warning("%s", escape.plain(problem))
    return [
        *(words.both("unreadable_file", problem=_quoted(fault)) for fault in faults),
        *(
            words.both("unreadable_items", run=row_name(label), problem=_quoted(fault))
            for label, fault in content.faults
        ),
        *(words.both("not_compared", problem=_quoted(problem)) for problem in marks.problems),
    ]


def _quoted(message: str) -> Markup:
    """A message as the commands print it, in English alone; ids of items say nothing to a reader and are left out."""
    from markupsafe import Markup

    return Markup("<samp>{}</samp>").format(_UUID.sub("…", escape.plain(message)))


def _environment(language: str, more: Sequence[Path] = ()) -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([_TEMPLATES, *more]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["numerals"] = lambda text: numerals(text, language)
    environment.globals |= {"w": words.both, "text": words.texts, "spans": words.spans}
    return environment


def _verbatim(text: str) -> Markup:
    """A text of this package, or base64, that is not escaped."""
    from markupsafe import Markup

    return Markup(text)


@dataclass
class Content:
    """The data of the items of all runs.

    Attributes:
        items: all items, with their prompts and references.
        runs: with the flags that their items tell.
        answers: of each run.
        columns: for each run task → the values of the overview's columns.
        figures: the numbers of the figures.
        lengths: of the responses, for length-controlled scores.
        faults: (label of the run, message on rows or files that could not be read).
    """

    items: Items = field(default_factory=Items)
    runs: list[Run] = field(default_factory=list)
    answers: list[PackedAnswers] = field(default_factory=list)
    columns: list[dict[str, TaskItems]] = field(default_factory=list)
    figures: FigureData = field(default_factory=FigureData)
    lengths: Lengths = field(default_factory=Lengths)
    faults: list[tuple[str, str]] = field(default_factory=list)
