"""What the verdicts of a task say of their judges: who they were, what they took, how far they agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from hueval_metrics.judge.lexical import JUDGE as LEXICAL
from hueval_metrics.judge.outcomes import is_unanswered, is_without_verdict
from hueval_metrics.judge.shutdown import end_of, is_retired
from hueval_metrics.records import Signature, Usage, Verdict

_UNNAMED = "?"  # a judge or a rubric that the log does not name


class JudgeTally:
    """The sums over the verdicts of one task; they may come from logs that anyone may have written.

    Attributes:
        judges: who gave them.
        uses_schema: whether every server took the schema of the rubric.
        retired: judge → verdicts that it gave just now, although it was to be shut down before.
    """

    def __init__(self) -> None:
        self.judges: set[str] = set()
        self.uses_schema = True
        self.retired: Counter[str] = Counter()
        self._rubrics: set[str] = set()
        self._usage: dict[str, Usage] = {}
        self._cached: Counter[str] = Counter()
        self._votes: Counter[tuple[Any, ...]] = Counter()
        self._n_suspicious = self._n_errors = self._n_unanswered = self._n_without = self._n_again = self._n_flips = 0

    def add(self, verdict: Verdict | None, *, is_asked: bool = False) -> None:
        """Count the verdict of one item, and whether it was asked for (`Response.is_asked`); None counts nothing."""
        if verdict is None:
            return
        if verdict.is_given:
            self.judges.add(verdict.judge or _UNNAMED)
            self._rubrics.add(verdict.rubric or _UNNAMED)
        self._n_suspicious += bool(verdict.suspicious)
        self._n_errors += verdict.error is not None
        if is_asked and (verdict.votes or not verdict.is_given):
            self._n_unanswered += is_unanswered(verdict)
            self._n_without += is_without_verdict(verdict)
        for one in verdict.votes or [verdict]:
            self.uses_schema &= one.schema
            if one.again is not None and one.is_given:
                self._n_again += 1
                self._n_flips += one.again != one.rating
            if one.judge is not None:
                self._usage[one.judge] = self._usage.get(one.judge, Usage()) + _usage(one)
                self._cached[one.judge] += one.cached
                if is_asked and one.is_given and not one.cached and is_retired(one.judge):
                    self.retired[one.judge] += 1
        if len(verdict.votes) > 1:
            self._votes[tuple(vote.rating for vote in verdict.votes)] += 1

    def summary(self) -> dict[str, Any]:
        """The keys of `results.json` about the judge.

        `judge_agreement` is of panels whose judges vote on each item, `judge_flips` of verdicts that were asked for a
        second time: `n`, `flips`, and Wilson's interval of their share in percent.
        """
        judges = {
            judge: {"calls": usage.calls, "cached": self._cached[judge]} | asdict(usage) | _shutdown_date(judge)
            for judge, usage in sorted(self._usage.items())
        }
        found: dict[str, Any] = {
            "judge": judges,
            "n_suspicious": self._n_suspicious,
            "n_judge_errors": self._n_errors,
            "n_unanswered": self._n_unanswered,
            "n_without_verdict": self._n_without,
        }
        if self._n_again:
            from hueval_metrics.stats.intervals import wilson

            ends = [round(100 * end, 2) for end in wilson(self._n_flips, self._n_again)]
            found["judge_flips"] = {"n": self._n_again, "flips": self._n_flips, "ci95": ends}
        if self._votes:
            from hueval_metrics.stats.agreement import agreement_of

            found["judge_agreement"] = agreement_of(self._votes.elements())
        return found

    def signed(self, signature: str | None) -> str | None:
        """A signature with all who judged and all rubrics: commas between several, where `+` would be a panel."""
        if signature is None or not self.judges:
            return signature
        judges, rubrics = (",".join(sorted(names)) for names in (self.judges, self._rubrics))
        return str(Signature.parse(signature).with_judge(judges, rubrics, schema=self.uses_schema))


def _shutdown_date(judge: str) -> dict[str, str]:
    """When a judge ends, where its server lists that or OpenAI has announced it: who reads the results later must know
    whether it can still be asked.
    """
    end = end_of(judge)
    return {"shutdown_date": str(end)} if end else {}


def _usage(verdict: Verdict) -> Usage:
    """What a verdict took; dollars are unknown where a judge was asked and its usage not recorded."""
    if verdict.usage is not None:
        return verdict.usage
    is_free = verdict.cached or verdict.judge == LEXICAL or not verdict.is_given
    return Usage(usd=0.0 if is_free else None)
