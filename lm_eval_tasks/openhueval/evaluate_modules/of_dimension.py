"""What the references of most modules have in common."""

from __future__ import annotations

from pydantic import Field

from hf_datasets.openhueval.schema import Dimension
from hueval_metrics.evaluate_modules.checked_metric import Reference


class OfDimension(Reference):
    """A reference that may say which Hungarian-specific dimension it is of."""

    hu_specific_dim: Dimension | None = Field(None, description="for the metrics by dimension")
