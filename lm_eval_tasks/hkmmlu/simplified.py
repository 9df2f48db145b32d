"""Questions in Simplified Chinese: by the converted copy in the data folder, or else by OpenCC.

The paper had GPT-4o convert all questions (Figure 13) and does not publish them. Who has such a copy puts it into the
folder `sc`, with the same rows in the same order as the Traditional files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hf_datasets.load import Loaded
from hueval_metrics.errors import DataError
from hueval_metrics.text.script import converter

OPENCC = "hk2s"  # its configuration for Traditional Chinese as written in Hong Kong
Row = Mapping[str, Any]

# The characters of the subjects' names that Simplified Chinese writes otherwise: a copy needs no OpenCC for them.
_OF_NAMES = str.maketrans(
    "礎醫學數憑試資訊與機電論視藥劑臨獸統計習業國經濟財務會遊設區規劃險銷歷發時構黨類為娛術識災動節慶產營樂邏輯維",
    "础医学数凭试资讯与机电论视药剂临兽统计习业国经济财务会游设区规划险销历发时构党类为娱术识灾动节庆产营乐逻辑维",
)


def by_opencc(loaded: Loaded) -> list[Row]:
    """The questions of a split as OpenCC converts them.

    Raises:
        InputError: OpenCC is not installed.
    """
    convert = converter(OPENCC).convert
    return [
        {
            **row,
            "question": convert(row["question"]),
            "choices": [convert(option) for option in row["choices"]],
            "reasoning": row["reasoning"] and convert(row["reasoning"]),
            "subject_zh": row["subject_zh"].translate(_OF_NAMES),
        }
        for row in loaded.rows
    ]


def by_copy(loaded: Loaded, copy: Loaded) -> list[Row]:
    """The questions of a split as the converted copy has them, with the ids of the Traditional ones.

    Raises:
        DataError: the copy has another number of rows, or a row another number of options or another answer.
    """
    if len(copy.rows) != len(loaded.rows):
        raise _unlike(copy, f"has {len(copy.rows)} rows", str(len(loaded.rows)))
    rows: list[Row] = []
    for number, (row, other) in enumerate(zip(loaded.rows, copy.rows, strict=True), start=1):
        if len(other["choices"]) != len(row["choices"]):
            raise _unlike(copy, f"row {number} has {len(other['choices'])} options", str(len(row["choices"])))
        if other["answer"] != row["answer"]:
            raise _unlike(copy, f"row {number} has the answer {other['answer']}", row["answer"])
        texts = {field: other[field] for field in ("question", "choices", "reasoning")}
        rows.append({**row, **texts, "subject_zh": row["subject_zh"].translate(_OF_NAMES)})
    return rows


def _unlike(copy: Loaded, found: str, expected: str) -> DataError:
    return DataError(
        f"{copy.source.path} {found}, expected {expected} as in the Traditional file. Fix it, or remove the copy "
        "in sc, so that OpenCC converts the questions"
    )
