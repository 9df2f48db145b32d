"""From responses to verdicts: by one judge or a panel, or by comparing words. A failure is a verdict with an error.

The requests to a judge run in an event loop in a thread of its own (`loop.py`), since a notebook has a loop running
already; memory does not grow with the number of items. README.md in this folder describes the path of one response.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias

from hueval_metrics.judge.ledger import check_budget
from hueval_metrics.judge.outcomes import is_final, is_unanswered
from hueval_metrics.judge.panel import panel_verdicts
from hueval_metrics.judge.queue import LOOK_S, Items, VerdictQueue
from hueval_metrics.judge.settings import VERDICT, JudgeSettings
from hueval_metrics.judge.suspicion import signs
from hueval_metrics.judge.tokens import TOO_LONG
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Verdict
from hueval_metrics.signals import further_signals

if TYPE_CHECKING:
    from hueval_metrics.judge.loop import JudgingLoop

GRACE_S = 5.0  # for replies to requests in flight when judging is stopped: most take 1 to 3 s

log = logging.getLogger(__name__)

Running: TypeAlias = "tuple[JudgingLoop, Thread]"  # a judging, and the thread that it runs in


def verdicts(
    items: Items, rubric: str, settings: JudgeSettings, total: int | None = None, task: str = ""
) -> Iterator[Verdict]:
    """Judge each response, and mark those that address the judge.

    Args:
        items: documents and responses without reasoning traces; may be a generator.
        rubric: the rubric's name.
        settings: the judge or panel, of any mode but `defer`.
        total: number of items, where known: for the estimate and the progress bar.
        task: the task that the items are of, to name it in messages where others may share its rubric; empty where the
            rubric's name has it.

    Yields:
        One verdict for each item, in order; a failure is a verdict with `error` and neither label nor score. One
        warning in the log counts the failures.

    Raises:
        InputError: there is a budget, and the price of a judge is unknown.
        KeyboardInterrupt: replies that came before it are in the cache.
    """
    marks: deque[tuple[str, ...]] = deque()

    def marked() -> Iterator[tuple[Mapping[str, Any], str]]:
        for doc, response in items:
            marks.append(signs(response, rubric))
            yield doc, response

    for verdict in _judged(marked(), rubric, settings, total, task):
        found = marks.popleft()
        yield replace(verdict, suspicious=found) if found else verdict


def _judged(items: Items, rubric: str, settings: JudgeSettings, total: int | None, task: str) -> Iterator[Verdict]:
    name = f"{rubric}, {task}" if task else rubric
    if settings.mode == "lexical":
        from hueval_metrics.judge.lexical import judge_lexically

        log.warning("HUEVAL_JUDGE=lexical compares words; its verdicts are approximate.")
        yield from counted((judge_lexically(doc, response, rubric) for doc, response in items), name, settings)
    elif not settings.is_configured:  # in a task that does not check for a judge before generation
        no_verdict = Verdict(rubric=rubric, error="not asked: no judge is configured")
        yield from counted((no_verdict for _ in items), name, settings)
    else:
        check_budget(settings)
        if settings.is_panel or settings.recheck:
            member = partial(judge_stream, task=task, group=[])
            yield from counted(panel_verdicts(items, rubric, settings, total, member), name, settings)
        else:
            yield from judge_stream(items, rubric, settings, total, task)


def judge_stream(
    items: Items,
    rubric: str,
    settings: JudgeSettings,
    total: int | None = None,
    task: str = "",
    group: list[Running] | None = None,
) -> Generator[Verdict, None, None]:
    """Ask one judge about each response; items are read, and verdicts emitted, while requests are in flight.

    Args:
        items: see `verdicts`; a generator is advanced in the engine's thread, and what it raises is raised here.
        rubric: the rubric's name.
        settings: the judge, of mode `openai` or `batch`.
        total, task: see `verdicts`.
        group: the judgings that end together, such as those of a panel; this one is added.

    Returns:
        One verdict for each item, in order. Requests start at once. When the iterator is closed, or stopped by a
        signal, no further ones start; replies to those in flight are awaited for `GRACE_S` and kept in the cache.
    """
    alone = settings.at(settings.model)  # each request is sent here: no key reaches the server of another judge
    alone = replace(alone, recheck=settings.recheck if group is not None else None)  # `panel_verdicts` asks twice
    stream = _stream(items, rubric, alone, total, task, [] if group is None else group)
    next(stream)  # starts the thread: the members of a panel ask at the same time
    return stream


def _stream(
    items: Items, rubric: str, settings: JudgeSettings, total: int | None, task: str, group: list[Running]
) -> Generator[Verdict, None, None]:
    """An empty verdict once the thread has started, then the verdicts of the items."""
    from hueval_metrics.judge.loop import JudgingLoop  # imports aiohttp, which the other modes do not need

    queue = VerdictQueue()
    judging = JudgingLoop(items, rubric, settings, total, queue, task)
    thread = Thread(target=judging.run, name="hueval-judge", daemon=True)
    group.append((judging, thread))
    try:
        thread.start()
        yield Verdict()
        name = ", ".join(filter(None, (rubric.rpartition(".")[2], task)))
        said = queue.verdicts()
        # Of those asked for twice, only the first ones are missing; whoever combines both counts them.
        yield from said if settings.recheck else counted(said, f"{name} by {one_line(settings.model, 60)}", settings)
    except BaseException:  # Ctrl-C, or the iterator is closed
        _await_replies(group)
        raise
    finally:
        judging.cancel()
        if thread.is_alive():
            thread.join(10)


def _await_replies(group: Sequence[Running]) -> None:
    """Let judgings start no further request, and wait for the replies to those in flight, which may be billed."""

    def cancel(*, at_once: bool = True) -> None:
        for judging, _ in group:
            judging.cancel(at_once=at_once)

    cancel(at_once=False)
    until, is_logged = time.monotonic() + GRACE_S, False
    with further_signals(cancel):
        for _, thread in group:
            while thread.is_alive() and (left := until - time.monotonic()) > 0:
                count = sum(judging.in_flight for judging, _ in group)
                if count and not is_logged:
                    is_logged = True
                    log.warning(
                        "Stopping: %d requests are in flight; their replies are awaited for up to %g s and kept. Stop "
                        "once more to end at once.",
                        count,
                        GRACE_S,
                    )
                thread.join(min(left, LOOK_S))
    cancel()


def counted(verdicts: Iterable[Verdict], name: str, settings: JudgeSettings) -> Iterator[Verdict]:
    """Yield the verdicts unchanged; after the last one, log how many are missing, the most frequent error, and how many
    of them are asked for again by the same command, and how many are final.

    Args:
        verdicts: of one judging.
        name: the rubric, and the judge where there are several.
        settings: of the judging.
    """
    missing: Counter[str] = Counter()
    count = n_again = n_final = 0
    for verdict in verdicts:
        count += 1
        if verdict.is_missing:
            missing[verdict.error or ""] += 1
            is_again = is_unanswered(verdict) or (is_final(verdict) and settings.asks_final)
            n_again += is_again and not (verdict.error or "").startswith(TOO_LONG)
            n_final += is_final(verdict) and not is_again
        yield verdict
    if missing:
        causes = Counter({error: n for error, n in missing.items() if not error.startswith("not asked")}) or missing
        n_long = sum(n for error, n in missing.items() if error.startswith(TOO_LONG))
        log.warning(
            "%s: %d of %d %ss are missing: %s. They are left out%s%s%s.",
            name,
            missing.total(),
            count,
            settings.noun,
            causes.most_common(1)[0][0],
            " of the scores" if settings.noun == VERDICT else "",
            f"; asked again by {settings.later}: {n_again}; {settings.final}: {n_final}" if n_again + n_final else "",
            f"; too long to be asked: {n_long}" if n_long else "",
        )
