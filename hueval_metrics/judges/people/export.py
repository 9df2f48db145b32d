"""Draw a sample of verdicts for humans to check, and write the sheet and its key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.judged import judged_items
from hueval_metrics.judges.people.key import key_bytes, key_path
from hueval_metrics.judges.people.sample import Sample, draw
from hueval_metrics.judges.people.sheet import instructions, sheet_bytes
from hueval_metrics.runs.load import load_runs
from hueval_metrics.signals import signals_held
from hueval_metrics.text.files import write_whole
from hueval_metrics.text.workbook import SUFFIXES


def export_sheet(runs: Sequence[Path], output: Path, n: int, seed: int) -> tuple[Sample, dict[str, int]]:
    """Write a sheet of verdicts to check, the key beside it and, for a CSV, the instructions.

    Args:
        runs: results files or folders.
        output: the sheet, `.xlsx` or `.csv`. No file is overwritten: it may contain ratings.
        n: number of verdicts to draw; all are used where there are fewer.
        seed: of the draw.

    Returns:
        The sample, and the number of verdicts that cannot be checked, by reason.

    Raises:
        InputError: there are no verdicts, a file exists already or cannot be written, or an option is out of range.
    """
    if n < 1:
        raise InputError(f"--n: {n} is no number of verdicts. Give 1 or more; 200 is the default")
    suffix = output.suffix.lower()
    key, guide = key_path(output), output.with_suffix(".instructions.txt")
    files = [output, key, guide] if suffix == ".csv" else [output, key]
    if suffix not in SUFFIXES:
        raise InputError(f"--output {output}: a sheet is one of {', '.join(SUFFIXES)}. Take sheet.xlsx")
    if taken := next((file for file in files if file.exists()), None):
        raise InputError(f"{taken}: exists already and may contain ratings. Name another --output, or move it")
    left_out: Counter[str] = Counter()
    sample = draw(judged_items(load_runs(runs), left_out), n, seed)
    if not sample.items:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        reasons = reasons or "no judged task whose items can be read"
        raise InputError(f"{', '.join(map(str, runs))}: no verdicts ({reasons}). Judge first: hueval score RUN")
    sheet = sheet_bytes(sample.items, suffix)
    with signals_held():
        write_whole(key, key_bytes(sample, seed), private=True)  # first: a sheet cannot be read back without its key
        if guide in files:
            write_whole(guide, instructions(sample.items).encode("utf-8-sig"))
        write_whole(output, sheet)
    return sample, dict(left_out)
