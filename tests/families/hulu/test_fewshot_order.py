"""The order of HuLU's examples, on invented rows of train."""

from __future__ import annotations

from lm_eval_tasks.hulu import fewshot

TRAIN = {
    label: [{"sentence": f"{label}{turn}", "label": label} for turn in range(4)]
    for label in ("negative", "neutral", "positive")
}


def test_labels_come_in_every_order_and_each_has_the_one_more(monkeypatch):
    """Of four examples of three labels one label has two, and either comes first and last, from item to item."""
    monkeypatch.setattr(fewshot, "_rows_by_label", lambda corpus, prompt: TRAIN)
    sampler = fewshot.Balanced([]).set_rnd(1234)
    docs = [{"task": "husst", "prompt": 1, "split": "test", "qid": str(n), "sentence": "x"} for n in range(60)]
    drawn = [[row["label"] for row in sampler.sample(4, doc)] for doc in docs]
    assert all(sorted(map(labels.count, TRAIN)) == [1, 1, 2] for labels in drawn)
    assert {max(TRAIN, key=labels.count) for labels in drawn} == set(TRAIN)
    assert {(labels[0], labels[-1]) for labels in drawn} == {(a, b) for a in TRAIN for b in TRAIN}
