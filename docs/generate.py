"""Writes what README.md and the pages in docs/ take from the code: tables of tasks, metrics, variables and commands.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`; the rest of a page is written by hand.
`make docs-tables` runs this; `--check` only names the files that are out of date, and a test does the same.
"""

from __future__ import annotations

import configparser
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import hueval_metrics
from docs.commands import commands
from docs.markdown import cell, table
from hueval_metrics.declare import Family, Task
from hueval_metrics.environment import VARIABLES
from hueval_metrics.exit_status import MEANINGS
from hueval_metrics.features import features
from hueval_metrics.registry import families
from hueval_metrics.reports.task_list import ListedTask, listed_tasks
from hueval_metrics.text.foreign import own_yaml
from hueval_metrics.version import __version__
from hueval_site.config import PREFIX, Config

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BADGES = DOCS / "images" / "badges"
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_MOST_ROWS = 12  # of a family in the overview; one with more tasks has a row for all of them
_LANGUAGES = {
    **{"hu": "Hungarian", "en": "English", "zh": "Chinese", "cs": "Czech", "sr": "Serbian", "ru": "Russian"},
    **{"ko": "Korean", "th": "Thai", "ar": "Arabic", "vi": "Vietnamese", "yue": "Cantonese"},
}


# ---- tasks ----


def tasks() -> str:
    """Every task in a row: family, items, metric, names and how each is scored, languages. Forms of one share a row."""
    rows: list[list[str]] = []
    for family in families().values():
        forms: dict[str, list[ListedTask]] = {}
        for one in listed_tasks(family):
            forms.setdefault(family.short_name(one.name), []).append(one)
        of_family = [_overview(family, found) for found in forms.values()]
        if len(of_family) > _MOST_ROWS:
            of_family = [_folded(family, alike) for alike in _by_prefixes(family, forms.values())]
        rows += of_family
    return table(["benchmark", "task", "items", "metric", "`--tasks` (scored by)", "questions in"], rows, ["items"])


def _by_prefixes(family: Family, forms: Iterable[Sequence[ListedTask]]) -> Iterable[list[Sequence[ListedTask]]]:
    """The tasks in all their forms, those that are there in the same forms together."""
    found: dict[tuple[str, ...], list[Sequence[ListedTask]]] = {}
    for one in forms:
        found.setdefault(tuple(_prefix(family, form.name) for form in one), []).append(one)
    return found.values()


def _prefix(family: Family, name: str) -> str:
    return next(filter(name.startswith, family.prefixes))


def _folded(family: Family, alike: Sequence[Sequence[ListedTask]]) -> list[str]:
    """The row of many tasks that are there in the same forms."""
    each = [one for forms in alike for one in forms]
    ways = {f"`{_prefix(family, one.name)}*`": _way(one) for one in each}
    names = ", ".join(f"{name} ({way})" for name, way in ways.items())
    metric = _names(dict.fromkeys(name for one in each for name in one.metrics))
    spoken = _joined(_LANGUAGES.get(code, code) for one in each for code in one.languages)
    return [family.title, f"{len(alike)} tasks", _total([forms[0] for forms in alike]), metric, names, spoken]


def _total(tasks: Sequence[ListedTask]) -> str:
    return f"{sum(one.n_items or 0 for one in tasks):,}" if all(one.n_items for one in tasks) else "?"


def _overview(family: Family, forms: Sequence[ListedTask]) -> list[str]:
    names = ", ".join(f"`{one.name}` ({_way(one)})" for one in forms)
    first = forms[0]
    title = family.tasks[first.name].title
    return [family.title, title, _count(first), _names(first.metrics), names, _languages(first)]


def _joined(cells: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(cells))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _way(one: ListedTask) -> str:
    return "a judge" if one.scored_by == "judge" else one.scored_by


def _count(one: ListedTask) -> str:
    return f"{one.n_items:,}" if one.n_items else "?"


def _languages(one: ListedTask) -> str:
    return ", ".join(_LANGUAGES.get(code, code) for code in one.languages)


def benchmarks() -> str:
    """Each task with its title, its config, how it is asked and all its variants."""
    parts = []
    for family in families().values():
        rows = [
            [f"`{one.name}`", task.title, _count(one), f"`{task.output_type}`", _names(one.metrics), _way(one)]
            for one, task in zip(listed_tasks(family), family.tasks.values(), strict=True)
        ]
        variants = [
            [f"`{key}`", ", ".join(f"`{value}`" for value in values)] for key, values in family.variants.items()
        ]
        links = ", ".join(f"<{url}>" for url in family.urls)
        parts += [
            f"## {family.title}\n\nData set `{family.data_set}`. {links}",
            table(["task", "title", "items", "asked as", "headline", "scored by"], rows, ["items"]),
        ]
        if variants:
            parts += ['Variants, by `--metadata \'{"KEY": "VALUE"}\'`:', table(["key", "values"], variants)]
        parts.append(f"```bibtex\n{family.citation.strip()}\n```")
    return "\n\n".join(parts)


# ---- metrics ----


def metrics() -> str:
    """Every metric of every family: what it means (from the family's README), its formula, its scale."""
    formulas = own_yaml(DOCS / "formulas.yaml")
    parts = []
    for family in families().values():
        meaning = _meanings(family)
        rows: dict[tuple[str, ...], list[str]] = {}
        for task in family.tasks.values():
            for column, metric in task.metrics.items():
                if metric.name not in formulas:
                    raise SystemExit(
                        f"docs/formulas.yaml lacks the metric {metric.name} of {task.title}. Add its formula"
                    )
                low, high = (f"{end:g}" for end in metric.bounds)
                scale = "items" if metric.is_count else f"{low} to {high}"
                name, text = meaning(column)
                if metric.stratum and family.strata:
                    name = column.removesuffix(metric.stratum) + f"<{family.strata.name}>"
                    text = f"the same within one {family.strata.name}"
                key = (f"`{name}`", text, cell(formulas[metric.name]), scale, metric.better or "neither")
                rows.setdefault(key, []).append(task_name(family, task))
        n = len(family.tasks)
        body = [
            [*key[:2], "all" if len(found) == n > _MOST_ROWS else _named(family, found), *key[2:]]
            for key, found in rows.items()
        ]
        parts += [f"## {family.title}", table(["metric", "meaning", "tasks", "formula", "scale", "better"], body)]
    return "\n\n".join(parts)


def _named(family: Family, names: Sequence[str]) -> str:
    """Tasks by their short names; all of many with one prefix by a pattern."""
    cells = []
    for prefix in family.prefixes:
        own = [name for name in names if name.startswith(prefix)]
        is_many = len(own) > _MOST_ROWS and len(own) == sum(name.startswith(prefix) for name in family.tasks)
        cells += [f"`{prefix}*`"] if is_many else [family.short_name(name) for name in own]
    return _joined(cells)


_PATTERNS = {  # names of measures that differ in a number or a class → what they have in common
    r"(correct_ratio_(?:ge|ref_gt)_)\d\d": (r"\1<percent>", "replies with such a share of correct thoughts, %"),
    r"(correct_ratio_(?:ref_)?gt_)0": (r"\g<0>", "replies with any correct thought, %"),
    r"dimension\d_.*_x_.*": ("dimension<n>_<class>_x_dimension<m>_<class>", "Reasoning segments of two classes, %"),
    r"dimension\d_.*": ("dimension<n>_<class>", "Reasoning segments of a class, %"),
    r"(.*)_ref": (r"\g<0>", "the same as the public tool counts it"),
}


def trace_measures() -> str:
    """What `hueval traces` counts, measure by measure; those of one pattern share a row."""
    from hueval_metrics.reports.page.words import page_words
    from hueval_metrics.traces.analyse import STEPS
    from hueval_metrics.traces.free import life, text
    from hueval_metrics.traces.rows import MEASURES

    judged = (measure for step in STEPS.values() for measure in step.MEASURES)
    headings, rows = page_words().of("en"), {}
    for one in (*MEASURES, *text.MEASURES, *life.MEASURES, *judged):
        name, meaning = one.name, headings.get(f"measure_{one.name}", "")
        if not meaning:
            pattern = next(pattern for pattern in _PATTERNS if re.fullmatch(pattern, one.name))
            common, meaning = _PATTERNS[pattern]
            name = re.sub(pattern, common, one.name)
        rows[name] = [f"`{name}`", meaning, one.unit, one.step, "yes" if one.tested else "", one.source]
    return table(("measure", "heading", "unit", "step", "tested", "source"), rows.values())


def task_name(family: Family, task: Task) -> str:
    """The full name of a declared task."""
    return next(name for name, found in family.tasks.items() if found is task)


def _meanings(family: Family) -> Callable[[str], tuple[str, str]]:
    """Column → its name and meaning in the tables of the family's README, where `bias_<label>` names several."""
    text = (family.folder / "README.md").read_text(encoding="utf-8")
    found: list[tuple[re.Pattern[str], str, str]] = []
    for found_table in re.findall(r"^\| metric \| meaning.*?\n\|.*?\n((?:\|.*\n)+)", text, re.MULTILINE):
        for row in found_table.splitlines():
            names, meaning = (one.strip() for one in row.strip("|").split(" | ", 1))
            for name in re.findall(r"`([^`]+)`", names):
                pattern = re.sub(r"<\w+>|…", r"\\w+", re.escape(name).replace(r"\…", "…"))
                text = cell(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning))
                found.append((re.compile(pattern), name, text))

    def meaning(column: str) -> tuple[str, str]:
        matches = [(name, text) for pattern, name, text in found if pattern.fullmatch(column)]
        name, text = matches[0] if matches else (column, "")
        return (name if "<" in name else column), text

    return meaning


# ---- Python, environment, exit statuses ----


def python() -> str:
    """What `hueval_metrics` offers, for mkdocstrings."""
    of_features = [item for feature in features() for item in feature.api.items()]
    offered = (item for item in [*hueval_metrics._OFFERED.items(), *of_features] if item[0] != "__version__")
    names = sorted(offered, key=lambda item: (item[0].endswith("Error"), item[0].lower()))
    return "\n\n".join(f"::: {module}.{name}" for name, module in names)


def environment() -> str:
    """Every environment variable."""
    found = {**VARIABLES, **_site_variables()}
    return table(["variable", "meaning"], ([f"`{name}`", cell(text)] for name, text in found.items()))


def _site_variables() -> dict[str, str]:
    """The variables of the leaderboard service, as the attributes of its settings are described."""
    listed = (inspect.getdoc(Config) or "").partition("Attributes:")[2]
    entries = re.findall(r"^    ([\w, ]+): (.*(?:\n {8,}.*)*)", listed, re.MULTILINE)
    told = {name: text for names, text in entries for name in names.split(", ")}
    return {PREFIX + name.upper(): told[name][:1].upper() + told[name][1:] for name in Config.model_fields}


def statuses() -> str:
    """Every exit status."""
    return table(["exit status", "meaning"], ([str(status), cell(text)] for status, text in MEANINGS.items()))


# ---- badges ----


def badges() -> dict[str, str]:
    """File name → SVG of each badge; the numbers are the repository's."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (covered,) = re.findall(r"coverage report --fail-under=(\d+)", makefile)
    facts = {
        "version": __version__,
        "python": setup["options"]["python_requires"],
        "licence": setup["metadata"]["license_expression"],
        "tasks": str(sum(len(family.tasks) for family in families().values())),
        "coverage": f"≥ {covered} %",
    }
    return {f"{name}.svg": _badge(name, value) for name, value in facts.items()}


def _badge(name: str, value: str) -> str:
    left, right = (round(6.6 * len(text)) + 14 for text in (name, value))
    text = 'fill="#fff" font-family="DejaVu Sans,Verdana,sans-serif" font-size="11" text-anchor="middle"'
    value = value.replace("<", "&lt;").replace(">", "&gt;")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{name}: {value}">\n'
        f'<rect width="{left}" height="20" fill="#454545"/>\n'
        f'<rect x="{left}" width="{right}" height="20" fill="#1f6f4a"/>\n'
        f'<text x="{left / 2:g}" y="14" {text}>{name}</text>\n'
        f'<text x="{left + right / 2:g}" y="14" {text}>{value}</text>\n</svg>\n'
    )


# ---- files ----

PARTS = {
    part.__name__: part
    for part in (tasks, benchmarks, metrics, trace_measures, python, environment, statuses, commands)
}


def written() -> dict[Path, str]:
    """Every file that has generated parts, as it should be."""
    made: dict[str, str] = {}

    def fill(match: re.Match[str]) -> str:
        name = match[2]
        made[name] = made.get(name) or PARTS[name]()
        return f"{match[1]}\n{made[name]}\n\n{match[3]}"

    pages = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
    found = {page: _PART.sub(fill, page.read_text(encoding="utf-8")) for page in pages}
    return found | {BADGES / name: text for name, text in badges().items()}


def stale() -> list[Path]:
    """The files that are not as they should be."""
    files = written().items()
    return [path for path, text in files if not path.is_file() or path.read_text(encoding="utf-8") != text]


def main() -> int:
    """Write the files, or with `--check` name those that are out of date."""
    names = [str(path.relative_to(ROOT)) for path in stale()]
    if "--check" in sys.argv[1:]:
        print("\n".join(f"{name} is out of date: make docs-tables" for name in names), end="\n" if names else "")
        return 1 if names else 0
    BADGES.mkdir(parents=True, exist_ok=True)
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
    print(f"Wrote {', '.join(names) or 'nothing new'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
