"""Which of several runs of one call are finished: a call that was stopped takes these from their files.

A marker lies beside the kept answers of a run, under a digest of all its settings and of the judge's, and names its
results file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from lm_eval.config.evaluate_config import EvaluatorConfig

from hueval_metrics.errors import DataError
from hueval_metrics.harness.kept_answers import answer_files, check_private
from hueval_metrics.text.files import read_text, write_whole

_DIGEST = re.compile(r"_[0-9a-f]{12}\.finished$")


def marker_of(config: EvaluatorConfig) -> Path | None:
    """The marker's path, of settings that name where answers are kept; None where none are."""
    if not config.use_cache:
        return None
    judge = {name: value for name, value in os.environ.items() if name.startswith("HUEVAL_JUDGE")}
    text = json.dumps([asdict(config), judge], sort_keys=True, default=str)
    return Path(f"{config.use_cache}_{hashlib.sha256(text.encode()).hexdigest()[:12]}.finished")


def finished(marker: Path | None) -> Path | None:
    """The results file of a run that is finished; None where it is not, or the file is gone."""
    if marker is None or not marker.exists():
        return None
    check_private(marker)
    file = Path(read_text(marker).strip())
    return file if file.is_file() else None


def mark(marker: Path, results: Path) -> None:
    """Note that a run is finished. Where that cannot be written, it is scored again from its answers."""
    with suppress(DataError):
        write_whole(marker, f"{results.resolve()}\n".encode(), DataError)


def forget(marker: Path) -> None:
    """Delete a marker, and the answers beside it."""
    for file in answer_files(_DIGEST.sub("", str(marker))):
        file.unlink(missing_ok=True)
    marker.unlink(missing_ok=True)
