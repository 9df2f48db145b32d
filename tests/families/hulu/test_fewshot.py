"""Examples of HuLU: balanced, from train, and the same for an item whatever else is asked."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.loader import documents, examples
from lm_eval_tasks.hulu.fewshot import Balanced
from tests.harness.runs import hueval_in_process
from tests.helpers import shared


@pytest.fixture(autouse=True)
def published(monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))


def sampler(seed: int = 1234) -> Balanced:
    return Balanced([]).set_rnd(seed)


@pytest.mark.parametrize(
    ("corpus", "n", "counts"), [("hucola", 4, [2, 2]), ("husst", 5, [2, 2, 1]), ("hucb", 3, [1, 1, 1])]
)
def test_each_label_as_often_as_any_other(corpus, n, counts):
    docs, _ = documents(f"hulu_{corpus}")
    drawn = sampler()
    for doc in docs[:20]:
        found = Counter(row["label"] for row in drawn.sample(n, doc))
        assert sorted(found.values(), reverse=True) == counts


def test_no_label_has_a_place_of_its_own():
    """Of three examples of two labels, either label has the one more, and either comes first and last."""
    docs, _ = documents("hulu_hucola")
    drawn = [[row["label"] for row in sampler().sample(3, doc)] for doc in docs[:40]]
    assert {Counter(labels).most_common(1)[0][0] for labels in drawn} == {"0", "1"}
    assert {(labels[0], labels[-1]) for labels in drawn} == {(a, b) for a in "01" for b in "01"}


def test_examples_depend_on_seed_and_item_alone():
    docs, _ = documents("hulu_hurte")
    forwards, backwards = sampler(), sampler()
    one = [forwards.sample(3, doc) for doc in docs[:10]]
    other = [backwards.sample(3, doc) for doc in reversed(docs[:10])][::-1]
    assert one == other
    other_seed = sampler(1)
    assert [other_seed.sample(3, doc) for doc in docs[:10]] != one
    assert len({json.dumps(rows, sort_keys=True) for rows in one}) == 10


def test_no_example_has_the_text_of_the_item():
    """Eleven sentences of HuCOLA's validation rows are in train."""
    docs, _ = documents("hulu_hucola")
    in_train = {row["sentence"] for row in examples("hulu_hucola", "train", {"prompt": 1})}
    both = [doc for doc in docs if doc["sentence"] in in_train]
    assert len(both) == 11
    drawn = sampler()
    for doc in both:
        assert doc["sentence"] not in {row["sentence"] for row in drawn.sample(3_000, doc)}


def test_more_than_train_has():
    docs, _ = documents("hulu_hucb")
    with pytest.raises(InputError, match=r'^--num_fewshot 200: train of HuCB has \d+ rows labelled "contradiction"'):
        sampler().sample(200, docs[0])


def test_lm_eval_shows_the_same_examples_with_a_limit(tmp_path):
    model = ("run", "--model", "hueval-baseline", "--tasks", "hulu_huwnli", "--num_fewshot", "2")
    prompts = []
    for name, more in {"few": ("--limit", "3"), "one": ("--samples", '{"hulu_huwnli": [2]}')}.items():
        assert hueval_in_process(*model, *more, "--output_path", tmp_path / name) == 0
        (file,) = (tmp_path / name).rglob("samples_*.jsonl")
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        prompts.append({row["doc_id"]: row["arguments"]["gen_args_0"]["arg_0"] for row in rows})
    few, one = prompts
    assert one == {2: few[2]}
    assert few[2].count("Válasz: ") == 2
