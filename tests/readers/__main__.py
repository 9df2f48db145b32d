"""`make readers`: how replies are read, and which words and patterns no labelled reply needs.

python -m tests.readers [READER …] [--misread] [--needless] [--freeze]
"""

from __future__ import annotations

import argparse
from collections import Counter

from tests.readers.measure import measured, table
from tests.readers.needless import CLOSED, KEPT, entries, lost_by_freezing, needless
from tests.readers.patterns import literal_tests, needless_patterns, switches
from tests.readers.sets import all_cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", help="only these, by the beginning of their names")
    parser.add_argument("--misread", action="store_true", help="list the replies that are not read right")
    parser.add_argument("--needless", action="store_true", help="list what no reply needs (minutes)")
    parser.add_argument("--freeze", action="store_true", help="what keeping only needed words would cost (a minute)")
    given = parser.parse_args()
    wanted = tuple(given.readers)
    cases = [case for case in all_cases() if not wanted or case.reader.startswith(wanted)]
    rows = measured(cases)
    print(table(rows))
    if given.misread:
        for row in rows:
            for case, outcome in row.not_right:
                print(f"\n{row.reader}, {row.set}, {case.id}: {outcome}\n  {case.reply[-400:]!r}")
                print(f"  a person reads {case.human!r}, we {case.read()!r}")
    all_entries = entries()
    counts = Counter(entry.language for entry in all_entries)
    each = ", ".join(f"{language} {n}" for language, n in counts.items())
    with switches() as all_patterns:
        n_patterns = len(all_patterns)
    print(f"\n{len(all_entries):,} entries in {len(counts)} languages ({each}), {n_patterns} patterns")
    if given.freeze:
        n_removed, n_others, changed = lost_by_freezing(cases)
        print(f"\nWithout the {n_removed:,} entries that half of the replies does not need, {len(changed)} of the")
        print(f"{n_others:,} others are read otherwise.")
    if given.needless:
        open_entries = [entry for entry in all_entries if entry.key not in CLOSED]
        found = needless(open_entries, cases)
        print(f"\n{len(found)} needless entries of {len(open_entries)}:", *found, sep="\n  ")
        some = [name for name in needless_patterns([*cases, *literal_tests()]) if name not in KEPT]
        print(f"\n{len(some)} needless patterns of {n_patterns}:", *some, sep="\n  ")


if __name__ == "__main__":
    main()
