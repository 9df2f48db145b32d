"""Numbers over the tasks of KoLasSimpleQA: averages over languages, the gap between the domains, calibration.

The languages' items are resampled each by itself: facts of two languages are never one, whatever their ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from hueval_metrics.metric import Metric
from hueval_metrics.summary import Part, Summary, parts_of
from hueval_metrics.words.texts import Texts
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, PIVOT, WORDS

if TYPE_CHECKING:
    from hueval_metrics.metric import Numbers

_HEADLINE = "f_score"
_SETTINGS: tuple[dict[str, str | int], ...] = ({}, {"question_lang": PIVOT})  # `direct` and `tran_en` (§4.2)
_over_languages = partial(Summary, by_task=True, in_overview=False)


def summaries(metrics: Mapping[str, Metric]) -> tuple[Summary, ...]:
    """The summaries of the family.

    Args:
        metrics: of each of its tasks. Those that vary with the sample of items have an average over languages in each
            domain, but for the public scorer's.
    """
    averaged = {name: one for name, one in metrics.items() if one.is_sampled and not name.endswith("_ref")}
    return (
        *(_average(name, metric, domain) for name, metric in averaged.items() for domain in DOMAINS),
        _over_languages(
            "domain_gap",
            "general − specific",
            tuple(part for domain in DOMAINS for part in parts_of(*((task, _HEADLINE) for task in _tasks(domain)))),
            _gap,
            better=None,
            in_overview=True,
            titles=WORDS.later("gap"),
        ),
        *(
            _over_languages(
                f"ece_pooled_{domain}",
                f"ECE {domain}",
                (Part("ece", _tasks(domain)),),
                better="lower",
                titles=_title("ECE", domain),
            )
            for domain in DOMAINS
        ),
        _over_languages(
            "mece",
            "mECE",
            tuple(Part("ece", _tasks(domain), setting) for domain in DOMAINS for setting in _SETTINGS),
            better="lower",
        ),
    )


def _average(name: str, metric: Metric, domain: str) -> Summary:
    """The macro average of a metric over the languages of a domain (Tables 3 and 4)."""
    return _over_languages(
        f"{name}_{domain}",
        f"average {domain}" if name == _HEADLINE else f"{name} {domain}",
        parts_of(*((task, name) for task in _tasks(domain))),
        better=metric.better,
        in_overview=name == _HEADLINE,
        titles=_title(WORDS.later("average") if name == _HEADLINE else name, domain),
    )


def _title(metric: str | Texts, domain: str) -> Texts:
    return WORDS.later("summary.of", metric=metric, domain=WORDS.later(f"summary.{domain}"))


def _gap(parts: Numbers) -> Numbers:
    """The mean of the first domain's languages minus that of the second's."""
    n = len(LANGUAGES)
    return parts[..., :n].mean(axis=-1) - parts[..., n:].mean(axis=-1)


def _tasks(domain: str) -> tuple[str, ...]:
    return tuple(f"kolassimpleqa_{language}_{domain}" for language in LANGUAGES)
