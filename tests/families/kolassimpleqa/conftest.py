"""Data files as a test writes them, and the packaged sample."""

from __future__ import annotations

import json

import pytest

from tests.harness.runs import cli, on_the_sample  # noqa: F401  fixtures


def official(qid: str, track: str | None = None, lang: str = "hu", english: bool = True, reverse: bool = True) -> dict:
    """A row of an official file: a question and, unless it has none, its reverse."""
    row = {"qid": qid, "knowledge_track_id": track or f"track-{qid}"}
    for way in ("", "_reverse") if reverse else ("",):
        row |= {f"question{way}_{lang}": f"{qid}{way}?", f"answer{way}_{lang}": f"{qid}{way}!"}
        row |= {f"{field}{way}_en": f"{qid}{way} in English" if english else None for field in ("question", "answer")}
    return row


@pytest.fixture
def data_of(tmp_path, monkeypatch):
    """A function that writes rows as the file of a config, and returns the folder."""

    def write(rows: list[dict], config: str = "hu_general") -> str:
        folder = tmp_path / "data" / "kolassimpleqa"
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{config}.jsonl").write_text(text, encoding="utf-8")
        monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
        return str(folder.parent)

    return write
