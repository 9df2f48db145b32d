"""`hueval data convert` and `check` as whole processes: the real data, and a synthetic KoLasSimpleQA of many rows.

Convert checks each row by its schema, hashes it, and compares it with what Arrow gives back. The yardsticks only turn
the same JSON Lines into Parquet: pyarrow with all of them in memory, `datasets` piece by piece. Aims: the real data in
2 s; memory that grows by no more than 200 bytes a row, since ids must be unique.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measure import SHARED, measure

from hf_datasets.converted import read_converted

ROUNDS = 3
GROWTH = 10  # the first run has so many times fewer rows
REAL = ("openhueval", "hulu")
HUEVAL_DATA = (str(Path(sys.executable).parent / "hueval"), "data")
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
        print("data convert: skipped, the real data are not beside this checkout")
        return
    with tempfile.TemporaryDirectory() as folder:
        outs = {name: Path(folder) / name for name in REAL}
        source = str(SHARED / "data")
        commands = {name: [*HUEVAL_DATA, "convert", source, str(out), "--name", name] for name, out in outs.items()}
        found = measure(commands, ROUNDS, {})
        rows = {name: rows_in(out) for name, out in outs.items()}
    print(f"data convert, the real data, median of {ROUNDS} runs in turns (aim: 2 s)")
    for name, numbers in found.items():
        print(f"  {name:16} {rows[name]:9,} rows {line(numbers)}")


def synthetic(rows: int) -> float:
    """Convert and check so many rows, the yardsticks beside them; the peak of `convert` in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "source" / "hu_general.jsonl", Path(folder) / "out"
        source.parent.mkdir()
        write_questions(source, rows)
        convert = [*HUEVAL_DATA, "convert", str(source.parent), str(out), "--name", "kolassimpleqa"]
        commands = {"convert": convert, "check": [*HUEVAL_DATA, "check", str(out)]}
        for name, program in YARDSTICKS.items():
            commands[name] = [sys.executable, "-c", program, str(source), str(Path(folder) / f"{name}.parquet")]
        found = measure(commands, 1, {"HF_HOME": folder})  # where `datasets` keeps what it has read
        print(
            f"data convert and check, {rows:,} synthetic rows, {source.stat().st_size / 2**20:,.0f} MiB of JSON Lines"
        )
        if rows_in(out) != rows:
            raise SystemExit(f"data_convert: {rows_in(out):,} rows were converted, not {rows:,}")
    for name, numbers in found.items():
        print(f"  {name:16} {rows / numbers['wall_s']:9,.0f} rows a second {line(numbers)}")
    return found["convert"]["peak_mib"]


def write_questions(path: Path, rows: int) -> None:
    """Questions of one direction, all different, in upstream's layout."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {
                "qid": f"q{number:07}",
                "knowledge_track_id": f"k{number:07}",
                "question_hu": f"Melyik évben épült a {number}. számú állomás, amely a vonal végén áll?",
                "answer_hu": f"{number // 7} után, a hetedik őszén",
                "question_en": f"In which year was station number {number} built, which stands at the end of the line?",
                "answer_en": f"after {number // 7}, in its seventh autumn",
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def rows_in(out: Path) -> int:
    """How many rows a converted folder has."""
    configs = read_converted(out).manifest.configs.values()
    return sum(file.rows for splits in configs for file in splits.values())


def line(numbers: dict[str, float]) -> str:
    """Time and memory as they are printed."""
    return f"{numbers['wall_s']:7.2f} s   peak {numbers['peak_mib']:5.0f} MiB"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    o = parser.parse_args()
    real()
    small, large = (synthetic(rows) for rows in (o.rows // GROWTH, o.rows))
    grown = (large - small) * 2**20 / (o.rows - o.rows // GROWTH)
    print(f"  memory of convert: {grown:.0f} bytes a row more (aim: 200)")


if __name__ == "__main__":
    main()
