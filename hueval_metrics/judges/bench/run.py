"""Ask judges about the answers of a frozen set, one judge after another, and keep what they say in a bench."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.engine import judge_stream, verdicts
from hueval_metrics.judge.estimate import estimates
from hueval_metrics.judge.ledger import check_budget, ledger
from hueval_metrics.judge.lexical import JUDGE as LEXICAL
from hueval_metrics.judge.lexical import lexical_rubric
from hueval_metrics.judge.outcomes import is_unanswered
from hueval_metrics.judge.prices import dollars
from hueval_metrics.judge.progress import counted
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.shutdown import ended, warn_of_end
from hueval_metrics.judge.suspicion import signs
from hueval_metrics.judges.bench.attempts import Attempt, attempts_on
from hueval_metrics.judges.bench.bench import JUDGE, Bench, open_bench, read_bench, write_bench, write_judge
from hueval_metrics.judges.bench.frozen import FrozenSet
from hueval_metrics.records import Verdict
from hueval_metrics.registry import task_spec
from hueval_metrics.text.files import locked

log = logging.getLogger(__name__)


def judges_named(names: Sequence[str], repeats: int) -> list[JudgeSettings]:
    """The settings of the judges to ask, from the environment.

    Args:
        names: model ids, or `lexical`; none for the judge of the environment.
        repeats: how often each is asked again, to see how far it agrees with itself; 1 for not at all.

    Returns:
        A judge a name, then the same one asked `repeats` times; nothing where HUEVAL_JUDGE=defer.

    Raises:
        InputError: a name is empty or given twice, no judge is configured, it has been shut down, or there is a budget
            and its price is unknown.
    """
    base = judge_settings()
    repeats = max(repeats, base.repeats)
    base = replace(base, repeats=1, later="the same command", final="kept as they are")
    if base.mode == "defer" and not names:
        return []
    if not all(names) or len(set(names)) < len(names):
        raise InputError("--judge: expected different model ids, one each time. Several at once: --judge A --judge B")
    judges = []
    for name in names:
        if name == LEXICAL:
            judges.append(replace(base, mode="lexical", model=LEXICAL, panel=(), is_configured=True))
        elif base.asks:
            judges.append(replace(base, model=name, is_default_model=False, panel=()))
        else:
            raise InputError(f"--judge {name}: HUEVAL_JUDGE={base.mode} makes no API calls. Unset HUEVAL_JUDGE")
    for judge in judges or [base]:
        if judge.panel and judge.is_cyclic and repeats > 1:
            raise InputError("--repeats: a cyclic panel asks one judge an item, once. Name its judges: --judge MODEL")
        if not judge.is_configured:
            raise InputError(
                f"no judge is configured to ask {judge.name}. Set HUEVAL_JUDGE_API_KEY or OPENAI_API_KEY, or "
                "HUEVAL_JUDGE_BASE_URL for a server of your own; or name --judge lexical; or set HUEVAL_JUDGE=defer to "
                "keep only the verdicts that came with the set"
            )
        if judge.asks and judge.is_default_model and (why := ended(judge)):
            raise InputError(why)
        check_budget(judge)
        if judge.asks:
            warn_of_end(judge)
    asked = []
    for judge in judges or [base]:
        asked += [judge, replace(judge, repeats=repeats)] if repeats > 1 and judge.asks else [judge]
    return asked


def plan_bench(frozen: FrozenSet, output: Path, judges: Sequence[JudgeSettings], *, with_attempts: bool) -> list[str]:
    """What `run_bench` would ask, and its estimated price. Asks nothing.

    Returns:
        A line for each task, one for each judge and task, and the sum.

    Raises:
        InputError: see `bench.open_bench`.
    """
    bench = _with_drawn(open_bench(output, frozen), frozen)
    lines, total, unknown = [], 0.0, False
    for task in frozen.tasks:
        attempts = f", {len(attempts_on(task, frozen.answers))} attempts on each judge" if with_attempts else ""
        lines.append(f"{task}: {counted(sum(answer.task == task for answer in frozen.answers), 'answer')}{attempts}")
    for judge in judges:
        for task in frozen.tasks:
            work = _work(bench, frozen, task, judge, with_attempts)
            if not work.items:
                lines.append(f"{work.rubric}: all verdicts of {judge.name} are there")
                continue
            if not judge.asks:
                lines.append(f"{work.rubric}: {counted(len(work.items), 'verdict')} by {judge.name}, without API calls")
                continue
            for estimate in estimates(work.items, work.rubric, work.settings):
                lines.append(estimate.line())
                total += estimate.usd or 0.0
                unknown |= estimate.usd is None and estimate.calls > 0
    rest = ", and those of unknown price" if unknown else ""
    left = next((usd for judge in judges if (usd := ledger().left_usd(judge)) is not None), None)
    lines.append(
        f"All judges: {dollars(total)}{rest}" + (f"; the budget is {dollars(left)}" if left is not None else "")
    )
    return lines


def run_bench(frozen: FrozenSet, output: Path, judges: Sequence[JudgeSettings], *, with_attempts: bool) -> bool:
    """Ask the judges, and write the verdicts of each when it is done; those that came with the set are written, too.

    What an earlier call has written is kept: only verdicts that are missing are asked for, and replies that came before
    a stop are in the judge's cache.

    Args:
        frozen: the set.
        output: the bench.
        judges: from `judges_named`.
        with_attempts: whether attempts on the judges are tried as well.

    Returns:
        Whether every judge gave all verdicts that it was asked for; unreadable replies are such.

    Raises:
        InputError: another process writes there; see also `bench.open_bench`.
    """
    open_bench(output, frozen)  # raises before anything is written
    try:
        with locked(output, wait=False):
            bench = open_bench(output, frozen)
            write_bench(bench)
            for judge in _with_drawn(bench, frozen).judges:
                if not (judge.folder / JUDGE).exists():
                    write_judge(bench, frozen, judge, judge.verdicts, ())
            bench = read_bench(output)
            is_complete = True
            for settings in judges:
                is_complete &= _ask(bench, frozen, settings, with_attempts)
                bench = read_bench(output)
    except BlockingIOError:
        raise InputError(
            f"{output}: another judge-bench is writing there. Wait for it, or name another folder"
        ) from None
    return is_complete


def _with_drawn(bench: Bench, frozen: FrozenSet) -> Bench:
    """The bench, with the judges whose verdicts came with the set, where they are not in it yet."""
    for name, said in frozen.drawn_verdicts().items():
        if not (judge := bench.judge(name)).verdicts:
            others = [one for one in bench.judges if one.name != name]
            bench = replace(bench, judges=[*others, replace(judge, is_drawn=True, verdicts=said)])
    return bench


def _ask(bench: Bench, frozen: FrozenSet, settings: JudgeSettings, with_attempts: bool) -> bool:
    """Ask one judge for all that is missing, and write its files. Returns whether nothing is missing any more."""
    judge = bench.judge(settings.name)
    said = dict(judge.verdicts)
    tried = {(str(row.get("id")), str(row.get("attempt"))): dict(row) for row in judge.attempts}
    works = [work for task in frozen.tasks if (work := _work(bench, frozen, task, settings, with_attempts)).items]
    with ExitStack() as stack:
        for work, stream in [(work, _start(work, stack)) for work in works]:
            for what, (_, response), verdict in zip(work.asked, work.items, stream, strict=True):
                verdict = replace(verdict, suspicious=signs(response, work.rubric))
                if isinstance(what, Attempt):
                    row = {"id": what.answer.id, "task": what.answer.task, "attempt": what.name}
                    tried[what.key] = row | {"verdict": verdict.to_dict()}
                else:
                    said[what] = verdict.to_dict()
    if works:
        is_drawn = judge.is_drawn and not any(isinstance(what, str) for work in works for what in work.asked)
        write_judge(bench, frozen, replace(judge, is_drawn=is_drawn), said, list(tried.values()))
    left = (*said.values(), *(row["verdict"] for row in tried.values()))
    return not any(is_unanswered(Verdict.from_json(one)) for one in left)


def _start(work: Work, stack: ExitStack) -> Iterator[Verdict]:
    """The verdicts on some work. A batch is submitted at once, so that those of all tasks run at the same time."""
    settings, total = work.settings, len(work.items)
    is_batch = settings.mode == "batch" and not settings.panel and settings.repeats == 1
    stream = (judge_stream if is_batch else verdicts)(work.items, work.rubric, settings, total)
    stack.callback(getattr(stream, "close", lambda: None))
    return stream


def _work(bench: Bench, frozen: FrozenSet, task: str, settings: JudgeSettings, with_attempts: bool) -> Work:
    """What a judge is still to be asked for a task."""
    judge, name = bench.judge(settings.name), str(task_spec(task).rubric)
    own_rubric = lexical_rubric(name) if settings.mode == "lexical" else rubric_id(load_rubric(name))
    asked: list[str | Attempt] = []
    items = []
    for answer in frozen.answers:
        if answer.task == task and not _is_done(judge.verdicts.get(answer.id), own_rubric):
            asked.append(answer.id)
            items.append((answer.doc, answer.response))
    if with_attempts and settings.repeats == 1:
        tried = {(row.get("id"), row.get("attempt")): row.get("verdict") for row in judge.attempts}
        for attempt in attempts_on(task, frozen.answers):
            if not _is_done(tried.get(attempt.key), own_rubric):
                asked.append(attempt)
                items.append((attempt.answer.doc, attempt.response))
    return Work(name, settings, asked, items)


def _is_done(said: object, rubric: str) -> bool:
    """Whether a verdict need not be asked for: it is there, or asking again would bring nothing else."""
    verdict = Verdict.from_json(said)
    return verdict is not None and not is_unanswered(verdict) and (verdict.rubric or rubric) == rubric


@dataclass(frozen=True)
class Work:
    """What a judge is to be asked for one task.

    Attributes:
        rubric: its name.
        settings: the judge.
        asked: the ids of answers, then attempts.
        items: document and response of each.
    """

    rubric: str
    settings: JudgeSettings
    asked: Sequence[str | Attempt]
    items: Sequence[tuple[Mapping[str, Any], str]]
