"""Checks of labels: distribution, differences between splits, equal texts with different labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hf_datasets.checks.across import Place, Read, earlier_equal, shown_pairs
from hf_datasets.checks.findings import EXAMPLES, Finding, Severity
from hf_datasets.checks.scan import MAX_LABELS, Scan
from hf_datasets.repo import Config

SKEW_POINTS = 10.0  # percentage points between the shares of a label in two splits
SKEW_P = 0.01  # below it, splits drawn from the same rows would hardly differ so much


def distribution(config: Config, split: str, scan: Scan) -> Iterator[Finding]:
    """The label distribution of a split, and rows without a label (in all rows: hidden labels)."""
    field = config.label_field
    if field is None:
        return
    if scan.labels is None:
        yield Finding("note", config.name, split, f'values of "{field}" and more: not treated as a label', MAX_LABELS)
        return
    counts = _counts(scan)
    labelled = sum(counts.values())
    if labelled:
        shown = tuple(f"{label}: {count:,} ({100 * count / labelled:.1f} %)" for label, count in sorted(counts.items()))
        yield Finding("note", config.name, split, f'rows with a "{field}"', labelled, shown)
    if hidden := scan.rows - labelled:
        what = f'rows without a "{field}"'
        yield Finding("warning" if labelled else "note", config.name, split, what, hidden)


def skew(config: Config, scans: Mapping[str, Scan]) -> Iterator[Finding]:
    """Labels whose share differs between splits by over SKEW_POINTS, with the p value of a chi-squared test."""
    counts = {split: found for split, scan in scans.items() if (found := _counts(scan))}
    names = sorted({name for found in counts.values() for name in found})
    shares = {split: {n: 100 * found.get(n, 0) / sum(found.values()) for n in names} for split, found in counts.items()}
    skewed = [
        f"{name}: " + ", ".join(f"{split} {share[name]:.1f} %" for split, share in shares.items())
        for name in names
        if max(s[name] for s in shares.values()) - min(s[name] for s in shares.values()) > SKEW_POINTS
    ]
    if not skewed:
        return
    from scipy.stats import chi2_contingency

    table = [[found.get(name, 0) for name in names] for found in counts.values()]
    p = float(chi2_contingency(table, correction=False).pvalue)
    what = f"label distribution differs between splits by over {SKEW_POINTS:.0f} points (p = {p:.1g})"
    severity: Severity = "warning" if p < SKEW_P else "note"
    yield Finding(severity, config.name, "", what, len(skewed), tuple(skewed[:EXAMPLES]))


def contradictions(config: Config, scans: Mapping[str, Scan], read: Read) -> Iterator[Finding]:
    """Equal texts with different labels, in one split or in two.

    Args:
        config: the table.
        scans: its splits, in order.
        read: given a split's name, reads its rows again.
    """
    import numpy as np

    names = sorted({name for scan in scans.values() for name in _counts(scan)})
    keys, labels, positions = [], [], []
    splits = [split for split, scan in scans.items() if _counts(scan)]
    for split in splits:
        scan = scans[split]
        codes = np.array([-1 if name is None else names.index(name) for name in scan.label_codes])
        of_rows = codes[np.asarray(scan.labels)]
        labelled = np.flatnonzero(of_rows >= 0)
        keys.append(np.asarray(scan.folded)[labelled])
        labels.append(of_rows[labelled])
        positions.append(labelled)
    if not splits:
        return
    key, label, position = (np.concatenate(parts) for parts in (keys, labels, positions))
    split_of = np.repeat(np.arange(len(splits)), [len(part) for part in positions])
    first = earlier_equal(key)
    rows = np.flatnonzero((first >= 0) & (label != label[first]))

    def place(row: int) -> Place:
        return splits[split_of[row]], int(position[row])

    if len(rows):
        pairs = [(place(row), place(first[row])) for row in rows[:EXAMPLES]]
        shown = shown_pairs(config, pairs, read, config.label_field)
        what = f'equal texts with more than one "{config.label_field}"'
        yield Finding("warning", config.name, "", what, len(np.unique(key[rows])), shown)


def _counts(scan: Scan) -> dict[str, int]:
    """Label → number of rows; empty where all are hidden or there are too many different ones."""
    import numpy as np

    if scan.labels is None:
        return {}
    counts = np.bincount(np.asarray(scan.labels), minlength=len(scan.label_codes))
    return {name: int(counts[code]) for name, code in scan.label_codes.items() if name is not None}
