"""How a run was asked stands in its signature, each setting by its name."""

from __future__ import annotations

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.records import Signature
from tests.families.hkmmlu import full_size


@pytest.mark.parametrize(
    ("task", "settings", "told"),
    [
        ("hkmmlu_hk_law", {}, {"script": "tc", "method": "da", "shots": "0", "cot_layout": "fig11"}),
        ("hkmmlu_hk_law", {"shots": 1}, {"script": "tc", "method": "da", "shots": "1", "cot_layout": "fig11"}),
        ("hkmmlull_hk_law", {}, {"script": "tc", "shots": "0"}),
        (
            "hkmmlutr_yue_to_zh",
            {"units": "word"},
            {"units": "word", "shots": "?"},
        ),  # lm-eval's own shots, not known yet
    ],
)
def test_only_what_a_task_has_a_choice_of(task, settings, told, tmp_path):
    data = full_size.write(tmp_path, scale=0.001)
    parts = Signature.parse(documents(task, data_dir=str(data), **settings)[1]["signature"]).parts
    assert {key: parts[key] for key in ("script", "method", "shots", "cot_layout", "units") if key in parts} == told
