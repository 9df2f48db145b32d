"""Runs and drawn figures, as the tests of the shared figures have them."""

from tests.reports.figures.conftest import run, texts

__all__ = ["run", "texts"]
