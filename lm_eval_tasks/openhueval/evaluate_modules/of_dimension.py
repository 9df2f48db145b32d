"""The field that most modules' references share."""

from __future__ import annotations

from hf_datasets.openhueval.schema import Dimension
from hueval_metrics.evaluate_modules.checked_metric import Reference


class OfDimension(Reference):
    """A reference with an optional Hungarian-specific dimension, for the metrics by dimension."""

    hu_specific_dim: Dimension | None = None
