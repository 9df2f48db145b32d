"""Caveats that a reader needs before comparing the rows of a table, in every language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hueval_metrics.answers.reading import Kind
from hueval_metrics.comparison.flags import flags_shown
from hueval_metrics.comparison.published import PublishedTable
from hueval_metrics.records import Signature
from hueval_metrics.registry import CALIBRATED, declared, known_tasks, task_spec, title
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import families_of, headlines, row_name
from hueval_metrics.reports.flags import flag_notes
from hueval_metrics.runs.facets import levels
from hueval_metrics.runs.run import Calibration, Flips, Run, is_baseline
from hueval_metrics.runs.settings import OWN, default_of, setting_of, signed_variants
from hueval_metrics.scoring.values import LIMIT_RATE
from hueval_metrics.words.texts import FOLDER, Texts, Words, listed, numbers

_TOKEN_CAP = re.compile(r"(?:^|,)max_gen_toks=(\d{1,9})(?:,|$)")

_MANY_TASKS = 20  # of which a note names none
_MANY_UNREAD = 5.0  # percent of the replies of a task without an answer, from which a note says so

NARROW = "†"  # beside an interval whose coverage is too low
POLICIES = ("oracle", "random", "first", "abstain")  # of the baselines, those that every family has
PUBLISHED = "‡"  # beside a model whose scores a paper printed

_WORDS = Words(FOLDER, "notes")


def notes(runs: Sequence[Run]) -> list[Texts]:
    """The notes on these results, one sentence each."""
    found = _prompts(runs)
    if sampled := [run for run in runs if run.sample]:
        found.append(_text("sample", runs=_labels(sampled, runs)))
    for limit in sorted({run.limit for run in runs if run.limit is not None}):
        limited = [run for run in runs if run.limit == limit]
        found.append(_text("limit", limit=numbers(f"{limit:g}"), runs=_labels(limited, runs)))
    found += _splits(runs)
    found += _languages(runs)
    found += _settings(runs)
    caps = [_token_cap(run) for run in runs]
    for cap in sorted({cap for cap in caps if cap is not None}):
        capped = [run for run, own in zip(runs, caps, strict=True) if own == cap]
        found.append(_text("token_cap", cap=numbers(str(cap)), runs=_labels(capped, runs)))
    for run in runs:
        if cut := {task: rate for task in run.tasks if (rate := run.score(task, LIMIT_RATE))}:
            texts = [_rate("at_limit_task", task, rate) for task, rate in cut.items()]
            if len(cut) > _MANY_TASKS:
                texts = [_text("at_limit_tasks", rate=numbers(f"{max(cut.values()):.2f}"), n=str(len(cut)))]
            found.append(_text("at_limit", run=row_name(run.label), tasks=listed(texts)))
    found += _unread(runs)
    partial = [is_partial(run) for run in runs if not is_baseline(run)]
    if any(partial) and not all(partial):
        found.append(_text("no_place"))
    if lexical := [run for run in runs if any(_is_lexical(result.signature) for result in run.tasks.values())]:
        found.append(_text("lexical", runs=_labels(lexical, runs)))
    found += _calibrations(runs)
    for run in runs:
        if lacking := {task: n for task, result in run.tasks.items() if (n := result.missing)}:
            texts = [_text("missing_task", task=escape.plain(task), count=str(n)) for task, n in lacking.items()]
            if len(lacking) > _MANY_TASKS:
                texts = [_text("missing_tasks", count=numbers(str(sum(lacking.values()))), n=str(len(lacking)))]
            found.append(_text("missing", run=row_name(run.label), tasks=listed(texts)))
    for gaps, gapped in _by_gaps(runs).items():
        tasks = listed(_rate("unjudged_task", *gap) for gap in gaps)
        found.append(_text("unjudged", tasks=tasks, runs=_labels(gapped, runs)))
    for run in runs:
        if twice := {task: result.flips for task, result in run.tasks.items() if result.flips}:
            found.append(_text("flips", run=row_name(run.label), tasks=listed(_flips(*one) for one in twice.items())))
        rates = [(task, rate) for task in run.tasks if (rate := run.score(task, "suspicious_rate"))]
        if rates:
            tasks = listed(_rate("suspicious_task", *one) for one in rates)
            found.append(_text("suspicious", run=row_name(run.label), tasks=tasks))
    return [*flag_notes(flags_shown(runs)), *_guessing(runs), *found]


def _guessing(runs: Sequence[Run]) -> list[Texts]:
    """The scores whose interval holds what guessing gives."""
    told = []
    for run in (run for run in runs if not is_baseline(run)):
        held = [
            column.title
            for column in headlines(families_of([run]), [run])
            if (ends := run.result(column.task).intervals.get(column.metric)) is not None
            and (chance := column.chance(run)) is not None
            and ends[0] <= chance <= ends[1]
        ]
        if held:
            named = ", ".join(held) if len(held) <= _MANY_TASKS else _text("guessing_tasks", n=str(len(held)))
            told.append(_text("guessing_run", run=row_name(run.label), tasks=named))
    return [_text("guessing", each=listed(told, "; "))] if told else []


def _unread(runs: Sequence[Run]) -> list[Texts]:
    """The models of whose replies many have no answer, and of which kinds these are."""
    found = []
    for run in runs:
        of_tasks: dict[str, Mapping[Kind, float]] = {}
        for task, result in run.tasks.items():
            unread: Mapping[Kind, float] = {
                kind: share for kind, share in result.readings.items() if kind != "answered"
            }
            is_flagged = any(one.kind in ("unreadable", "refused", "empty") for one in result.flags)
            if sum(unread.values()) >= _MANY_UNREAD and not (is_flagged or is_baseline(run)):
                of_tasks[task] = unread
        if not of_tasks:
            continue
        texts = [
            _text(
                "unread_task",
                task=escape.plain(task),
                rate=numbers(f"{sum(unread.values()):.2f}"),
                kinds=_kinds(unread),
            )
            for task, unread in of_tasks.items()
        ]
        if len(of_tasks) > _MANY_TASKS:
            highest = max(sum(unread.values()) for unread in of_tasks.values())
            texts = [_text("at_limit_tasks", rate=numbers(f"{highest:.2f}"), n=str(len(of_tasks)))]
        found.append(_text("unread", run=row_name(run.label), tasks=listed(texts)))
    return found


def _kinds(shares: Mapping[Kind, float]) -> Texts:
    """The kinds of readings, of several each with its share."""
    named = {kind: _text(f"unread_{kind}") for kind in shares}
    if len(named) == 1:
        return listed(named.values())
    return listed(
        _text("unread_kind", kind=named[kind], rate=numbers(f"{share:.2f}")) for kind, share in shares.items()
    )


def baseline_note(runs: Sequence[Run]) -> list[Texts]:
    """What the baselines among the runs are; empty without one."""
    labels = {run.label for run in runs if is_baseline(run)}
    policies = [
        _text(key) for policy in POLICIES if any(policy in label for label in labels) for key in [f"policy_{policy}"]
    ]
    return [_text("baselines", each=listed(policies))] if policies else []


def _prompts(runs: Sequence[Run]) -> list[Texts]:
    """The numbers of prompts and repeats that rows are the mean over."""
    found = []
    crossed: dict[tuple[tuple[str, int], ...], list[Run]] = {}
    for run in runs:
        if run.averaged:
            crossed.setdefault(tuple(levels(run).items()), []).append(run)
    for facets, several in sorted(crossed.items()):
        counts_of = {facet: str(count) for facet, count in facets}
        key = "_and_".join(f"{facet}s" for facet in counts_of)
        found.append(_text(key, runs=_labels(several, runs), **counts_of))
        for run in several:
            count = len(run.averaged)
            counts = {task: sum(task in one.tasks for one in run.averaged) for task in run.tasks}
            if fewer := [
                _text("fewer_prompts_task", task=escape.plain(task), count=str(n))
                for task, n in counts.items()
                if n < count
            ]:
                fewer_key = "fewer_prompts" if key == "prompts" else "fewer_runs"
                found.append(_text(fewer_key, run=row_name(run.label), tasks=listed(fewer)))
    return found + _wordings(runs)


def _wordings(runs: Sequence[Run]) -> list[Texts]:
    """Who was asked how, where that differs between runs of families with several wordings of a question."""
    having: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        signatures = [
            Signature.parse(result.signature).parts
            for task, result in run.tasks.items()
            if task in known_tasks() and "prompt" in known_tasks()[task].variants
        ]
        prompts = {one.rpartition("-")[0] for parts in signatures for one in parts.get("prompt", "").split(",")} - {""}
        shots = {parts.get("shots", "0") for parts in signatures}
        if prompts:
            having.setdefault((", ".join(sorted(prompts)), "/".join(sorted(shots))), []).append(run)
    if len(having) < 2:
        return []
    wordings = [
        _text("wording", prompts=escape.plain(prompts), shots=escape.plain(shots), runs=_labels(some, runs))
        for (prompts, shots), some in having.items()
    ]
    return [_text("wordings", each=listed(wordings, "; "))]


def _calibrations(runs: Sequence[Run]) -> list[Texts]:
    """Whose judgements the calibrated scores correct, and to whose: a note for each judge, reference and kind."""
    kinds: dict[tuple[str, str, bool], list[Run]] = {}
    for run in runs:
        for one in dict.fromkeys(_calibrated(run).values()):
            having = kinds.setdefault((one.judge, one.reference, one.is_own), [])
            having += [run] * (run not in having)
    found = []
    for kind, having in kinds.items():
        counts: dict[str, list[int]] = {}
        for run in having:
            for task, one in _calibrated(run).items():
                if (one.judge, one.reference, one.is_own) == kind:
                    counts.setdefault(task, []).append(one.n)
        tasks = [_n_rated(task, min(own), max(own)) for task, own in counts.items()]
        judge, reference, is_own = kind
        names = {"judge": escape.plain(judge), "reference": escape.plain(reference), "runs": _labels(having, runs)}
        found.append(_text("calibrated_own" if is_own else "calibrated_transported", tasks=listed(tasks), **names))
    return found + [
        _text("calibrated_reference", reference=escape.plain(reference), runs=_labels(judged, runs))
        for reference, judged in _by_reference(runs).items()
    ]


def _by_reference(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """The reference of calibrated scores → the runs that it judged itself, which are among them as they are."""
    found: dict[str, list[Run]] = {}
    for column in headlines(families_of(runs), runs):
        for run in runs:
            if column.metric_of(run) != column.metric and column.score(run) is not None:
                having = found.setdefault(column.reference, [])
                having += [run] * (run not in having)
    return found


def _calibrated(run: Run) -> dict[str, Calibration]:
    """Task → what its calibrated scores rest on, where it has any."""
    return {
        task: result.calibration
        for task, result in run.tasks.items()
        if result.calibration
        and any(value is not None and metric.endswith(CALIBRATED) for metric, value in result.scores.items())
    }


def _n_rated(task: str, low: int, high: int) -> Texts:
    key = "calibrated_n" if low == high else "calibrated_n_range"
    return _text(key, task=title(task) or escape.plain(task), low=str(low), high=str(high))


def narrow_note(runs: Sequence[Run]) -> list[Texts]:
    """What `NARROW` means; empty where no interval of the runs has the mark."""
    is_narrow = any(
        run.result(task).covers_too_little(metric)
        for run in runs
        for task in run.tasks
        for metric in run.tasks[task].scores
    )
    return [narrow_text()] if is_narrow else []


def narrow_text() -> Texts:
    """What `NARROW` means."""
    return _text("narrow", mark=NARROW)


def published_notes(table: PublishedTable) -> list[Texts]:
    """What `PUBLISHED` means, and what the table's scores are."""
    return [_text("published", mark=PUBLISHED, table=table.title), *([table.note] if table.note else [])]


def is_partial(run: Run) -> bool:
    """Whether a run is on other items than the benchmark's: the sample, a limit, another split, the first ones."""
    return run.sample or run.limit is not None or run.goes_on or bool(_other_splits(run))


def _other_splits(run: Run) -> dict[str, str]:
    """Task → the split that it ran on, of those that ran on another than the default."""
    splits = {
        task: Signature.parse(result.signature).parts.get("split")
        for task, result in run.tasks.items()
        if task in known_tasks() and "split" in known_tasks()[task].variants
    }
    return {task: split for task, split in splits.items() if split and split != task_spec(task).variants({})["split"]}


def _languages(runs: Sequence[Run]) -> list[Texts]:
    """The rows with questions in another language than the tasks' own, where others were asked in that."""
    settings = [setting_of(run) for run in runs]
    asked = sorted({one for one in settings if one not in (None, OWN)})
    if OWN not in settings and len(asked) < 2:
        return []
    return [
        _text(
            "asked_in",
            language=escape.plain(one),
            runs=_labels([run for run, own in zip(runs, settings, strict=True) if own == one], runs),
        )
        for one in asked
    ]


def _settings(runs: Sequence[Run]) -> list[Texts]:
    """The rows asked in other settings (`signed_variants`) than the tasks' own, where rows differ in them."""
    having: dict[str, list[Run]] = {}
    for run in runs:
        settings = {
            f"{key}={value}": None
            for task, result in run.tasks.items()
            for key, value in signed_variants(result.signature, task).items()
            if value != default_of(task, key)
        }
        having.setdefault(", ".join(settings), []).append(run)
    if len(having) < 2:
        return []
    return [
        _text("asked_with", setting=escape.plain(setting), runs=_labels(some, runs))
        for setting, some in having.items()
        if setting
    ]


def _splits(runs: Sequence[Run]) -> list[Texts]:
    """The rows on another split than the default, and the tasks without scores, whose labels it hides."""
    found = []
    splits = [_other_splits(run) for run in runs]
    for split in sorted({split for own in splits for split in own.values()}):
        having = [run for run, own in zip(runs, splits, strict=True) if split in own.values()]
        found.append(_text("split", split=escape.plain(split), runs=_labels(having, runs)))
        unscored = [
            task
            for task in dict.fromkeys(task for own in splits for task in own if own[task] == split)
            if all(run.score(task, metric) is None for run in having for metric in declared(task).headline)
        ]
        if unscored:
            found.append(_text("split_unscored", split=escape.plain(split), tasks=", ".join(unscored)))
    return found


def _token_cap(run: Run) -> int | None:
    """The maximum number of tokens of an answer, where it is lower than the task's own."""
    caps = []
    for task, result in run.tasks.items():
        given = _TOKEN_CAP.search(Signature.parse(result.signature).parts.get("gen", ""))
        if (
            given
            and task in known_tasks()
            and int(given[1]) < task_spec(task).config["generation_kwargs"]["max_gen_toks"]
        ):
            caps.append(int(given[1]))
    return min(caps, default=None)


def _by_gaps(runs: Sequence[Run]) -> dict[tuple[tuple[str, float], ...], list[Run]]:
    """The runs with missing verdicts, grouped by task and coverage, so that one sentence covers a group."""
    found: dict[tuple[tuple[str, float], ...], list[Run]] = {}
    for run in runs:
        rates = {task: run.score(task, "judge_coverage") for task in run.tasks}
        if gaps := tuple((task, rate) for task, rate in rates.items() if rate is not None and rate < 100):
            found.setdefault(gaps, []).append(run)
    return found


def _is_lexical(signature: str) -> bool:
    """Whether any of its verdicts come from the lexical judge."""
    return "lexical" in Signature.parse(signature).judges


def _text(key: str, /, **values: str | Texts) -> Texts:
    """A text in each language; a value is one text for all languages, or one for each."""
    return _WORDS.texts(key, **values)


def _rate(key: str, task: str, rate: float) -> Texts:
    return _text(key, task=escape.plain(task), rate=numbers(f"{rate:.2f}"))


def _flips(task: str, found: Flips) -> Texts:
    low, high = (numbers(f"{end:.1f}") for end in found.ends)
    counts = {"n": str(found.n), "flips": str(found.flips)}
    return _text("flips_task", task=escape.plain(task), low=low, high=high, **counts)


def _labels(some: Sequence[Run], runs: Sequence[Run]) -> str | Texts:
    if len(some) == len(runs) > 1:
        return _text("every_row")
    return ", ".join(row_name(run.label) for run in some)
