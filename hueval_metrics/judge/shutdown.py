"""When judges are shut down, as servers list it and as OpenAI has announced it.

A judge is never replaced silently: a warning comes before its shutdown date, and from that date on it is not asked.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from hueval_metrics.judge.settings import OPENAI_HOST, JudgeSettings

WARN_DAYS = 120  # before the shutdown date: about the time from the first to the last run of a paper
# OpenAI's models for chat, as openai-python 3.54.0 lists them in types/shared/chat_model.py; read on 2026-11-22.
_ANNOUNCED = {
    "2024-09-13": "gpt-3.5-turbo-16k gpt-3.5-turbo-0301 gpt-3.5-turbo-0613 gpt-3.5-turbo-16k-0613",
    "2025-06-06": "gpt-4-32k gpt-4-32k-0314 gpt-4-32k-0613",
    "2025-07-28": "o1-preview o1-preview-2024-09-12",
    "2025-10-27": "o1-mini o1-mini-2024-09-12",
    "2026-02-17": "chatgpt-4o-latest",
    "2026-03-26": "gpt-4-0125-preview gpt-4-turbo-preview gpt-4-0314",
    "2026-07-23": "gpt-5.1-chat-latest gpt-5-chat-latest",
    "2026-08-10": "gpt-5.3-chat-latest gpt-5.2-chat-latest",
    "2026-09-28": "gpt-3.5-turbo-1106",
    "2026-10-23": "gpt-4.1-nano gpt-4.1-nano-2025-04-14 o4-mini o4-mini-2025-04-16 o3-mini o3-mini-2025-01-31 o1 "
    "o1-2024-12-17 gpt-4o-2024-05-13 gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-1106-preview gpt-4 gpt-4-0613 "
    "gpt-3.5-turbo gpt-3.5-turbo-0125",
    "2026-12-11": "gpt-5 gpt-5-mini gpt-5-nano gpt-5-2025-08-07 gpt-5-mini-2025-08-07 gpt-5-nano-2025-08-07 o3 "
    "o3-2025-04-16",
    "2027-01-14": "gpt-4.1 gpt-4.1-mini gpt-4.1-2025-04-14 gpt-4.1-mini-2025-04-14 gpt-4o gpt-4o-2024-11-20 "
    "gpt-4o-2024-08-06 gpt-4o-mini gpt-4o-mini-2024-07-18",
    "2027-04-01": "gpt-5.4-nano gpt-5.4-nano-2026-03-17 gpt-5.1 gpt-5.1-2025-11-13",
}
_ENDS = {model: date.fromisoformat(end) for end, models in _ANNOUNCED.items() for model in models.split()}
_listed: dict[str, date] = {}  # the shutdown dates that servers have listed in this process

log = logging.getLogger(__name__)


def end_in(entry: Mapping[str, Any]) -> date | None:
    """The shutdown date in a model's entry of a server's `/models`; None where there is none.

    OpenAI has `shutdown_date`, OpenRouter `expiration_date`, Azure `deprecation.inference` (Unix seconds). Mistral's
    `deprecation` ends the support of a model: one that is listed after that date still answers.

    >>> end_in({"id": "gpt-4.1", "shutdown_date": "2027-01-14"})
    datetime.date(2027, 1, 14)
    """
    deprecation = entry.get("deprecation")
    if isinstance(deprecation, Mapping):
        deprecation = deprecation.get("inference")
    elif (end := _date(deprecation)) and end <= _today():
        deprecation = None
    return _date(entry.get("shutdown_date")) or _date(entry.get("expiration_date")) or _date(deprecation)


def note_listed(ends: Mapping[str, date | None]) -> None:
    """Remember the shutdown dates that a server lists, by model, for this process."""
    _listed.update({model: end for model, end in ends.items() if end})


def end_of(model: str) -> date | None:
    """The shutdown date of a model as listed by a server, else as announced by OpenAI; None for neither.

    >>> end_of("gpt-4o-2024-11-20")
    datetime.date(2027, 1, 14)
    """
    return _listed.get(model) or _ENDS.get(model)


def is_retired(model: str, today: date | None = None) -> bool:
    """Whether the shutdown date of a model is over: what answers to its name may be another one."""
    end = end_of(model)
    return end is not None and end <= (today or _today())


def ends_of(settings: JudgeSettings) -> dict[str, date]:
    """The known shutdown dates of the judges, by model.

    OpenAI's announcements apply to its own server, and to the default model at any server; another server may keep a
    model of the same name for longer.
    """
    found: dict[str, date] = {}
    for part in settings.by_server:
        is_openai = any(urlsplit(base_url).hostname == OPENAI_HOST for base_url in part.base_urls)
        known = end_of if is_openai else _ENDS.get if part.is_default_model else _listed.get
        found |= {model: end for model in part.models if (end := known(model))}
    return found


def ended(settings: JudgeSettings, today: date | None = None) -> str | None:
    """Why the judge cannot be asked after its shutdown date; None before it.

    Args:
        settings: the judge or panel.
        today: the date to compare with; None for the present one, in UTC.
    """
    over = [(model, end) for model, end in ends_of(settings).items() if end <= (today or _today())]
    if not over:
        return None
    model, end = over[0]
    what = f"the judge {model} ended on {end}"
    if settings.is_default_model:
        what = f"there is no default judge any more: {model} ended on {end}"
    return (
        f"{what}. Set HUEVAL_JUDGE_MODEL to another (not comparable; HUEVAL_JUDGE_BASE_URL for a server of your own), "
        "or HUEVAL_JUDGE=lexical (approximate) or defer (judge later). "
        f"HUEVAL_JUDGE_MODEL={model} still reads its verdicts from the cache"
    )


def warn_of_end(settings: JudgeSettings, today: date | None = None) -> None:
    """Log, once in a process, that a judge will be shut down within `WARN_DAYS`.

    Args:
        settings: the judge or panel.
        today: see `ended`.
    """
    for model, end in ends_of(settings).items():
        days = (end - (today or _today())).days
        if 0 < days <= WARN_DAYS:
            after = "; no default follows it" if settings.is_default_model else ""
            _warn(
                f"the judge {model} ends on {end}, in {days} day{'s' * (days > 1)}{after}. Scores of different judges "
                "are not comparable: finish by then, or set HUEVAL_JUDGE_MODEL to another."
            )


@cache
def _warn(text: str) -> None:
    log.warning("%s", text)


def _today() -> date:
    return datetime.now(UTC).date()


def _date(value: object) -> date | None:
    """The date in a JSON value: ISO 8601, with or without a time, or Unix seconds; None for anything else."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, str):
            return datetime.fromisoformat(value).date()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC).date()
    return None
