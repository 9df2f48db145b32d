"""mECE (§4.3): the mean of a model's calibration errors over both domains and both settings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hueval_metrics.registry import families


def mece(parts: Sequence[float | None]) -> float | None:
    """mECE of the four errors; None where one is missing."""
    known = [part for part in parts if part is not None]
    summary = next(one for one in families()["kolassimpleqa"].summaries if one.name == "mece")
    return float(summary.combine(np.array(known))) if len(known) == len(parts) == len(summary.parts) else None
