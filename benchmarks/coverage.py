"""How often intervals hold the true value, and how often tests err: the simulations of `simulations/`.

    python benchmarks/coverage.py PART [--runs N] [--case CASE]

Each part prints one table in Markdown: those of `hueval_metrics/stats/README.md`, `docs/judges.md` and the other pages
that name this script. A part takes from a minute to hours; the exit status is 1 if a row is not as demanded.
"""

from __future__ import annotations

from importlib import import_module

from measure import QUICK, options

# Of each module the parts that it has.
PARTS = {
    "tasks": ("tasks",),
    "sizes": ("clusters", "answers", "labels"),
    "translation": ("translations",),
    "pairs": ("pairs",),
    "subjects": ("subjects",),
    "paired": ("paired",),
    "stratified": ("stratified",),
    "crossed": ("crossed",),
    "errata": ("errata",),
    "traces": ("traces", "traces-tests"),
    "judges": ("judge-bench",),
    "flags": ("flags",),
    "calibration": tuple(
        f"calibration-{name}"
        for name in ("few", "own", "two", "three", "scores", "metrics", "differing", "confidences")
    ),
}


def main() -> int:
    """Simulate, print the tables, and say which rows are not as demanded."""
    modules = {part: module for module, parts in PARTS.items() for part in parts}
    parser = options(__doc__)
    parser.add_argument("parts", nargs="+", metavar="PART", choices=list(modules), help=", ".join(modules))
    parser.add_argument("--runs", type=int, help="default: as many as the table in the documentation has")
    parser.add_argument("--case", action="append", help="of the part (default: all)")
    args = parser.parse_args()
    missed = []
    for part in args.parts:
        table = import_module(f"simulations.{modules[part]}").TABLES[part]
        if unknown := sorted({*(args.case or [])} - {*table.cases}):
            parser.error(f"{part} has no case {', '.join(unknown)}; it has: {'; '.join(table.cases)}")
        print(f"\n| {' | '.join(table.titles)} |")
        print(f"|{' --- |' * table.texts}{' ---: |' * (len(table.titles) - table.texts)}", flush=True)
        runs = args.runs or (max(4, table.runs // 200) if QUICK else table.runs)
        for case in args.case or table.cases:
            for cells, is_as_demanded in table.rows(case, runs):
                print(f"| {' | '.join(cells)} |", flush=True)
                missed += [" ".join(cells[: table.texts])] * (not is_as_demanded)
    print(f"\nNot as demanded: {'; '.join(missed) or 'none'}.")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
