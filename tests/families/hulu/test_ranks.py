"""A model through both forms of HuLU: on one rank and on two, the same examples and the same numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fakes import tiny_model
from tests.harness.runs import results, run, samples

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).parents[2] / "harness" / "two_ranks.py"
TORCHRUN = (sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, SCRIPT)
TASKS = ("hulu_hucola", "hulu_hucopa", "hulu_hucb", "hulu_hurc", "hulugen_hurte", "hulugen_husst")


@pytest.mark.nightly
@pytest.mark.slow
def test_one_and_two_ranks_alike(tmp_path):
    """An odd number of documents, so that one rank is short; examples depend on the item, not on its rank."""
    model = f"pretrained={tiny_model.build(tmp_path / 'model')},dtype=float32"
    given = (
        *("run", "--model", "ranked-hf", "--model_args", model, "--device", "cpu", "--batch_size", 1),
        *("--tasks", ",".join(TASKS), "--num_fewshot", 2, "--limit", 5, "--gen_kwargs", "max_gen_toks=8"),
    )
    settings = {"HUEVAL_SAMPLE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    for place, launch in {"one": (sys.executable, SCRIPT), "two": TORCHRUN}.items():
        cache = {"HUEVAL_CACHE_DIR": str(tmp_path / f"cache of {place}")}
        outcome = run(*launch, *given, "--output_path", tmp_path / place, cwd=tmp_path, **settings, **cache)
        assert outcome.status == 0, outcome.err
        assert len(list((tmp_path / place).rglob("run_*_rank1.log"))) == (place == "two")
    assert results(tmp_path / "one")["results"] == results(tmp_path / "two")["results"]
    for task in TASKS:
        one, two = (samples(tmp_path / place, task) for place in ("one", "two"))
        assert [row["arguments"] for row in one] == [row["arguments"] for row in two]
        # lm-eval asks a rank that has fewer requests for its last one again and again.
        assert [[replies[0] for replies in row["resps"]] for row in one] == [
            [replies[0] for replies in row["resps"]] for row in two
        ]
        assert len(one) % 2  # one rank is short
