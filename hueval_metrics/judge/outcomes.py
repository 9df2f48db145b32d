"""What asking for a verdict came to: given, missing and asked for again by the same command, or missing for good."""

from __future__ import annotations

from hueval_metrics.records import UNFILTERED, Verdict

_NEVER_ASKED = ("lexical",)  # how errors begin of what no judge was asked for
_FINAL = ("refused: ", "the reply is empty")  # how errors begin that asking again would most likely only repeat


def is_without_verdict(verdict: Verdict | None) -> bool:
    """Whether a verdict that was asked of a judge, or of a judge of a panel, is missing, whatever the cause.

    >>> is_without_verdict(Verdict("YES")), is_without_verdict(Verdict(error="lexical cannot score it"))
    (False, False)
    >>> is_without_verdict(Verdict(error="refused: HTTP 400")), is_without_verdict(Verdict(error="no connection"))
    (True, True)
    """
    return verdict is not None and any(map(_is_missing, verdict.votes or (verdict,)))


def is_unanswered(verdict: Verdict | None) -> bool:
    """Whether the judge, or a judge of a panel, gave no reply where asking again may bring one.

    >>> is_unanswered(Verdict(error="not asked: the budget is spent")), is_unanswered(Verdict("YES"))
    (True, False)
    >>> is_unanswered(Verdict(error="unreadable: no label", raw="?")), is_unanswered(Verdict(error="refused: HTTP 400"))
    (False, False)
    """
    return verdict is not None and any(map(_lacks_reply, verdict.votes or (verdict,)))


def is_final(verdict: Verdict | None) -> bool:
    """Whether a verdict is missing, and the judge would most likely give none if it were asked again.

    >>> is_final(Verdict(error="unreadable: no label", raw="?")), is_final(Verdict(error="no connection"))
    (True, False)
    """
    return is_without_verdict(verdict) and not is_unanswered(verdict)


def _is_missing(verdict: Verdict) -> bool:
    error = verdict.error
    return not (verdict.is_given or error is None or error == UNFILTERED or error.startswith(_NEVER_ASKED))


def _lacks_reply(verdict: Verdict) -> bool:
    return _is_missing(verdict) and verdict.raw is None and not (verdict.error or "").startswith(_FINAL)
