"""The super-populations that `coverage.py` draws from: how likely each outcome of a question of a dimension is.

Sizes are those of the benchmark (OpenHuEval, Tables 2, 14 and 16; blanks as counted in the published files). The three
models lie where Tables 5 and 11 have their weakest, a middling and their strongest; the paper has no figures of
confidence. The weak and the middling one are overconfident; of the strong one just as many answers are right as it
says, so that its calibration error is 0. Each stands for many of its strength: `shift` moves all of its probabilities
on the logit scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from scipy.special import expit, logit
from scipy.stats import betabinom, norm

from hueval_metrics.metrics.simple_qa import CORRECT, INCORRECT, NOT_ATTEMPTED, attempted_term, f_term

MODELS = ("weak", "middling", "strong")
WILD_BENCH = {"lcc": 365, "ep": 201, "ppl": 299, "bf": 289}
SIMPLE_QA = {"l": 10, "h": 169, "lcc": 228, "ep": 70, "gp": 206, "f": 452, "ppl": 179, "bf": 29}
PROVERBS = 1135
# Number of blanks: how many questions of the dimension have so many.
MATCHING = {
    "l": {2: 2, 3: 1, 4: 5, 5: 14, 6: 12, 7: 13, 8: 13, 9: 9, 10: 25, 11: 5, 12: 17, 13: 7, 14: 6, 15: 8, 16: 3, 17: 1}
    | {19: 1, 20: 2, 23: 2},
    "h": {4: 4, 5: 12, 6: 16, 7: 24, 8: 29, 9: 15, 10: 6, 11: 4, 12: 10, 13: 2, 14: 5, 15: 4, 19: 1},
}
STANDARD = {
    "l": {2: 1, 3: 2, 4: 6, 5: 4, 6: 2, 7: 7, 8: 4, 9: 2, 10: 14, 11: 5, 12: 2, 13: 1, 15: 4, 19: 1},
    "h": {2: 2, 3: 3, 4: 5, 5: 4, 6: 6, 7: 3, 8: 3, 9: 6, 10: 3, 11: 1, 12: 2},
}
_EASIER = {"l": 0.04, "h": -0.04, "lcc": 0.03, "ep": -0.03, "gp": 0.03, "f": -0.02, "ppl": 0.0, "bf": -0.04}
_DIFFICULTY = 2.0  # alpha + beta of the questions' beta distribution; question_acc is then about that of Table 5
_CONFIDENCES = {
    1.0: 0.2,
    0.95: 0.22,
    0.9: 0.2,
    0.85: 0.1,
    0.8: 0.1,
    0.7: 0.08,
    0.5: 0.06,
    0.3: 0.02,
    0.1: 0.01,
    0: 0.01,
}


def wild_bench(model: int, shift: float) -> Iterator[Outcome]:
    """Scores from 1 to 10: a rounded normal distribution; some replies of the judge are missing or unreadable."""
    mean, spread = ((4.2, 2.2), (6.5, 2.0), (8.2, 1.6))[model]
    missing, unreadable = _near(0.01, shift), _near(0.02, shift)
    for dimension, size in WILD_BENCH.items():
        edges = [norm.cdf(k + 0.5, mean + shift + 10 * _EASIER[dimension], spread) for k in range(1, 10)]
        shares = [high - low for low, high in zip([0, *edges], [*edges, 1], strict=True)]
        kinds = [(share * (1 - missing - unreadable), score, 0.0) for score, share in enumerate(shares, 1)]
        kinds += [(missing, None, None), (unreadable, None, 1.0)]
        for (share, score, unread), (times, rates) in product(kinds, _rates(model, shift)):
            values = {"wb_score": score, "wb_score_ref": score, f"wb_score_{dimension}": score}
            values |= {"wb_score_racka": 1 if unread else score}
            covered = {"default_score_rate": unread, "judge_coverage": float(score is not None)}
            yield Outcome(dimension, size, share * times, [values | covered | rates])


def simple_qa(model: int, shift: float) -> Iterator[Outcome]:
    """A stated confidence and a label; the probability of a right answer is linear in the confidence."""
    base, slope = ((_near(0.04, shift), 0.12), (_near(0.08, shift), 0.4), (0.0, 1.0))[model]
    given_up, silent = _near((0.11, 0.06, 0.3)[model], shift), _near((0.05, 0.02, 0.01)[model], shift)
    missing = _near(0.01, shift)
    mean_shift = sum(_EASIER[dimension] * size for dimension, size in SIMPLE_QA.items()) / sum(SIMPLE_QA.values())
    stated = {None: silent} | {c: (1 - silent) * share for c, share in _CONFIDENCES.items()}
    for (dimension, size), (confidence, weight) in product(SIMPLE_QA.items(), stated.items()):
        sure = 0.8 if confidence is None else confidence
        # Dimensions differ by nothing on average, so that the strong model stays calibrated.
        right = base + slope * sure + 4 * sure * (1 - sure) * (_EASIER[dimension] - mean_shift)
        labels = {
            CORRECT: right * (1 - missing),
            INCORRECT: (1 - right) * (1 - given_up) * (1 - missing),
            NOT_ATTEMPTED: (1 - right) * given_up * (1 - missing),
            None: missing,
        }
        for (label, share), (times, rates) in product(labels.items(), _rates(model, shift)):
            values: dict[str, Any] = {"judge_coverage": float(label is not None)}
            if label is not None:
                correct = float(label == CORRECT)
                values |= {"correct": correct, f"correct_{dimension}": correct}
                values |= {"incorrect": float(label == INCORRECT), "not_attempted": float(label == NOT_ATTEMPTED)}
                values |= {"correct_given_attempted": attempted_term(label), "f_score": f_term(label)}
                if confidence is not None:
                    values |= {"ece": (confidence, correct), "brier": (confidence, correct)}
            yield Outcome(dimension, size, weight * share * times, [values | rates])


def two_choices(model: int, shift: float) -> Iterator[Outcome]:
    """A proverb that is known is right in both orders; else option 1 is chosen a bit more often than option 2."""
    known, first, unreadable, cut = (
        _near(share, shift)
        for share in ((0.6, 0.6, 0.03, 0.02), (0.85, 0.56, 0.01, 0.01), (0.94, 0.52, 0.01, 0.01))[model]
    )
    flags = list(product((True, False), repeat=2))
    for (one, two), read, read_ref, truncated in product(product((1, 2), repeat=2), flags, flags, flags):
        share = (1 - known) * (first if one == 1 else 1 - first) * (first if two == 1 else 1 - first)
        share += known * ((one, two) == (1, 2))
        # The reference scorer reads less.
        for both, likely in ((read, 1 - unreadable), (read_ref, 1 - 2 * unreadable), (truncated, cut)):
            for flag in both:
                share *= likely if flag else 1 - likely
        documents = []
        for order, answer in enumerate((one, two)):
            choice = ("", order + 1, answer if read[order] else None)
            reference = ("", order + 1, answer if read_ref[order] else None)
            values = dict.fromkeys(("acc", "acc_single", "position_bias"), choice) | {"acc_ref": reference}
            rates = {"parse_rate": float(read[order]), "truncated_rate": float(truncated[order])}
            documents.append(values | rates)
        yield Outcome("l", PROVERBS, share, documents)


def open_ended(model: int, shift: float) -> Iterator[Outcome]:
    """A meaning that is accepted or not; some replies of the judge are missing or unreadable."""
    accepted, missing, unreadable = _near((0.5, 0.78, 0.89)[model], shift), _near(0.01, shift), _near(0.02, shift)
    read = 1 - missing - unreadable
    kinds = [(1.0, 0.0, accepted * read), (0.0, 0.0, (1 - accepted) * read)]
    kinds += [(None, 1.0, unreadable), (None, None, missing)]
    for (label, unread, share), (times, rates) in product(kinds, _rates(model, shift)):
        values = {"acc": label, "acc_ref": 0.0 if unread else label, "unreadable_rate": unread}
        values |= {"judge_coverage": float(label is not None)}
        yield Outcome("l", PROVERBS, share * times, [values | rates])


def matching(model: int, shift: float) -> Iterator[Outcome]:
    """HuMatchingFIB; the reference scorer reads a few answers less."""
    unread = _near(0.05, shift)
    for outcome, right, blanks in _blanks(MATCHING, (0.3, 0.64, 0.81)[model], (0.1, 0.05, 0.02)[model], shift):
        for times, seen in ((1 - unread, right), (unread, 0)):
            reference = {"blank_acc_ref": (seen, blanks), "question_acc_ref": float(seen == blanks)}
            yield Outcome(outcome.dimension, outcome.size, outcome.share * times, [outcome.documents[0] | reference])


def standard(model: int, shift: float) -> Iterator[Outcome]:
    """HuStandardFIB; the reference scorer counts some blanks more than once, and asks for all alternatives."""
    for outcome, right, blanks in _blanks(STANDARD, (0.08, 0.35, 0.6)[model], (0.1, 0.05, 0.02)[model], shift):
        for times, more in ((0.5, 0.0), (0.3, 0.2), (0.2, 0.4)):
            counted = right + round(more * right)
            reference = {"blank_acc_ref": (counted, blanks), "question_acc_ref": float(right == blanks and not more)}
            yield Outcome(outcome.dimension, outcome.size, outcome.share * times, [outcome.documents[0] | reference])


POPULATIONS = {
    "openhueval_huwildbench": wild_bench,
    "openhueval_husimpleqa": simple_qa,
    "openhueval_huproverbrea_2cq": two_choices,
    "openhueval_huproverbrea_oe": open_ended,
    "openhueval_humatchingfib": matching,
    "openhueval_hustandardfib": standard,
}


def _near(share: float, shift: float) -> float:
    return float(expit(logit(share) + shift))


def _rates(model: int, shift: float) -> list[tuple[float, dict[str, float]]]:
    """Every combination of the rates that judged tasks have, independent of one another, and its probability."""
    shares = {
        "hungarian_rate": (0.9, 0.97, 0.99)[model],
        "truncated_rate": (0.1, 0.05, 0.03)[model],
        "suspicious_rate": 0.02,
    }
    found: list[tuple[float, dict[str, float]]] = [(1.0, {})]
    for metric, share in shares.items():
        sides = ((1.0, _near(share, shift)), (0.0, 1 - _near(share, shift)))
        found = [(likely * p, rates | {metric: hit}) for likely, rates in found for hit, p in sides]
    return found


def _blanks(
    sizes: Mapping[str, Mapping[int, int]], mean: float, unreadable: float, shift: float
) -> Iterator[tuple[Outcome, int, int]]:
    """Beta-binomial blanks of questions as long as those of the benchmark; an unreadable answer has none right."""
    unreadable, cut = _near(unreadable, shift), _near(0.03, shift)
    for dimension, lengths in sizes.items():
        size = sum(lengths.values())
        easy = _near(mean + _EASIER[dimension], shift)
        for blanks, questions in lengths.items():
            spread = betabinom(blanks, easy * _DIFFICULTY, (1 - easy) * _DIFFICULTY)
            kinds = [(float(spread.pmf(right)) * (1 - unreadable), right, 1.0) for right in range(blanks + 1)]
            kinds += [(unreadable, 0, 0.0)]
            for (share, right, parsed), (times, truncated) in product(kinds, ((cut, 1.0), (1 - cut, 0.0))):
                pair = (right, blanks)
                values = {"blank_acc": pair, f"blank_acc_{dimension}": pair, "question_acc": float(right == blanks)}
                document = values | {"parse_rate": parsed, "truncated_rate": truncated}
                yield Outcome(dimension, size, share * times * questions / size, [document]), right, blanks


@dataclass(frozen=True)
class Outcome:
    """One way in which a question may turn out.

    Attributes:
        dimension: of the question.
        size: how many questions the dimension has.
        share: how likely the outcome is for one of them.
        documents: metric → value of each of its documents: one, or a proverb's two orders.
    """

    dimension: str
    size: int
    share: float
    documents: list[dict[str, Any]]
