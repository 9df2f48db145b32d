"""`hueval data convert` and `check` as whole processes: the real data, and a synthetic KoLasSimpleQA of many rows.

Convert checks each row by its schema, hashes it, and compares it with what Arrow gives back. The yardsticks only turn
the same JSON Lines into Parquet: pyarrow with all of them in memory, `datasets` piece by piece. Aims: the real data in
2 s; memory that grows by no more than 200 bytes a row, since ids must be unique.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from made_runs import write_rows
from measure import HUEVAL, QUICK, SHARED, measure, options, report, report_processes, skipped

from hf_datasets.converted import read_converted

ROUNDS = 3
GROWTH = 10  # the first run has so many times fewer rows
REAL = ("openhueval", "hulu")
HUEVAL_DATA = (HUEVAL, "data")
YARDSTICKS = {
    "pyarrow": """
import sys
from pyarrow import json, parquet
parquet.write_table(json.read_json(sys.argv[1]), sys.argv[2], compression="zstd")
""",
    "datasets": """
import sys
from datasets import Dataset
Dataset.from_json(sys.argv[1]).to_parquet(sys.argv[2])
""",
}


def real() -> None:
    """Convert what lies beside the checkout."""
    if not (SHARED / "data").is_dir():
        skipped("the real data", "shared/data is not beside this checkout")
        return
    with tempfile.TemporaryDirectory() as folder:
        outs = {name: Path(folder) / name for name in REAL}
        source = str(SHARED / "data")
        commands = {name: [*HUEVAL_DATA, "convert", source, str(out), "--name", name] for name, out in outs.items()}
        found = measure(commands, ROUNDS, {})
        report_processes(found, dict.fromkeys(REAL, 2))


def synthetic(rows: int) -> float:
    """Convert and check so many rows, the yardsticks beside them; the peak of `convert` in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "source" / "hu_general.jsonl", Path(folder) / "out"
        source.parent.mkdir()
        write_rows(source, map(question, range(rows)))
        convert = [*HUEVAL_DATA, "convert", str(source.parent), str(out), "--name", "kolassimpleqa"]
        commands = {"convert": convert, "check": [*HUEVAL_DATA, "check", str(out)]}
        for name, program in YARDSTICKS.items():
            commands[name] = [sys.executable, "-c", program, str(source), str(Path(folder) / f"{name}.parquet")]
        found = measure(commands, 1, {"HF_HOME": folder})  # where `datasets` keeps what it has read
        if rows_in(out) != rows:
            raise SystemExit(f"data_convert: {rows_in(out):,} rows were converted, not {rows:,}")
    report_processes({f"{name}, {rows:,} rows": numbers for name, numbers in found.items()})
    return found["convert"]["peak_mib"]


def question(number: int) -> dict[str, str]:
    """A question of one direction, in upstream's layout; each number has its own."""
    return {
        "qid": f"q{number:07}",
        "knowledge_track_id": f"k{number:07}",
        "question_hu": f"Melyik évben épült a {number}. számú állomás, amely a vonal végén áll?",
        "answer_hu": f"{number // 7} után, a hetedik őszén",
        "question_en": f"In which year was station number {number} built, which stands at the end of the line?",
        "answer_en": f"after {number // 7}, in its seventh autumn",
    }


def rows_in(out: Path) -> int:
    """How many rows a converted folder has."""
    configs = read_converted(out).manifest.configs.values()
    return sum(file.rows for splits in configs for file in splits.values())


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--rows", type=int, default=20_000 if QUICK else 1_000_000)
    o = parser.parse_args()
    real()
    small, large = (synthetic(rows) for rows in (o.rows // GROWTH, o.rows))
    grown = (large - small) * 2**20 / (o.rows - o.rows // GROWTH)
    report("memory of convert, more a row", grown, "bytes", at_most=200)


if __name__ == "__main__":
    main()
