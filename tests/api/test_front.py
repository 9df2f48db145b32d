"""What `import hueval_metrics as hueval` offers, and what it costs."""

import subprocess
import sys

import pytest

import hueval_metrics


def test_every_name_offered_is_there():
    assert {name for name in hueval_metrics.__all__ if not hasattr(hueval_metrics, name)} == set()


def test_dir_shows_what_is_offered_and_nothing_else():
    """Tab completion: also once modules of ours are imported, which are no API."""
    import hueval_metrics.cli

    assert dir(hueval_metrics) == sorted(hueval_metrics.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'hueval_metrics' has no attribute 'scores'"):
        hueval_metrics.scores  # noqa: B018


@pytest.mark.process
def test_importing_the_package_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import hueval_metrics; print(*sorted(set(sys.modules) - before))"
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert outcome.stdout.split() == ["hueval_metrics"]
