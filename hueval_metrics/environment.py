"""The environment variables that are read anywhere here, and a warning for those that nothing reads."""

from __future__ import annotations

import logging
import os

_JUDGE = ("API_KEY", "BASE_URL", "BUDGET_USD", "CONCURRENCY", "DEADLINE_S", "HEADERS", "MODEL", "PRICES")
VARIABLES = frozenset(
    {
        *("HUEVAL_CACHE_DIR", "HUEVAL_DATA_DIR", "HUEVAL_HUB_REPO", "HUEVAL_OFFLINE", "HUEVAL_QUIET"),
        *("HUEVAL_SAMPLE", "HUEVAL_UPSTREAM_URL", "HUEVAL_JUDGE"),
        *(f"HUEVAL_JUDGE_{name}" for name in (*_JUDGE, "REPEATS", "RPM", "TIMEOUT_S", "TPM")),
    }
)
_PREFIX = "HUEVAL_"
_LETTERS = sorted(_PREFIX)

log = logging.getLogger(__name__)


def warn_of_unknown_variables() -> None:
    """Name each variable that looks like one of ours and is none; the first rank alone does, of several."""
    if os.environ.get("RANK", "0") != "0":
        return
    for name in sorted(os.environ):
        if name not in VARIABLES and sorted(name[: len(_PREFIX)].upper()) == _LETTERS:  # HUVEAL_ too
            from difflib import get_close_matches

            endings = [known.removeprefix(_PREFIX) for known in VARIABLES]
            near = get_close_matches(name[len(_PREFIX) :].upper(), endings, n=1)
            hint = f"Did you mean {_PREFIX}{near[0]}?" if near else "README.md lists the variables."
            log.warning("%s is set, and no such variable is known: it has no effect. %s", ascii(name)[1:-1], hint)
