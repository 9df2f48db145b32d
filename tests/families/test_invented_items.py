"""Items that a base model invents behind an answer, made of other rows of the same task by its own templates."""

from __future__ import annotations

from itertools import pairwise

import pytest

from hueval_metrics.loader import documents
from lm_eval_tasks.hkmmlu import documents as hkmmlu
from lm_eval_tasks.hkmmlu import hooks as hkmmlu_hooks
from lm_eval_tasks.hulu import hooks as hulu
from lm_eval_tasks.hulu import hurc
from lm_eval_tasks.openhueval import hooks as openhueval
from lm_eval_tasks.openhueval import templates
from tests.each import each

CORPORA = ("hucola", "husst", "hurte", "hucb", "huwnli", "hucopa")


@pytest.fixture(autouse=True)
def _sample(monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")


def pairs(task, **settings):
    found, _ = documents(task, **settings)
    return [pair for pair in pairwise(found[:7]) if pair[0] != pair[1]]


def check(pair, prompt, target, read):
    """An answer before an invented item counts, and one in it does not, whole, in bold, and as bullets."""
    doc, other = pair
    invented = f"{prompt(other)}\n{target(other)}"
    right = read(doc, target(doc))
    assert right is not None
    assert read(doc, f"{target(doc)}\n\n{invented}") == right
    assert read(doc, invented) is None
    assert read(doc, prompt(doc)) is None
    labelled = [line for line in invented.splitlines() if ":" in line[1:24] and not line.startswith('"')]
    for form in ("**{}:**{}", "- {}:{}"):
        again = "\n".join(form.format(*line.split(":", 1)) for line in labelled)
        assert read(doc, f"{target(doc)}\n{again}") == right


@each("prompt", [1, 2, 3])
@each("corpus", CORPORA)
def test_hulu(corpus, prompt):
    for pair in pairs(f"hulugen_{corpus}", prompt=prompt, split="validation"):
        check(pair, hulu.instruction, hulu.target, hulu.read_label)


@each("prompt", [1, 3])
def test_hurc(prompt):
    for pair in pairs("hulugen_hurc", prompt=prompt, split="validation"):
        check(pair, hurc.instruction, hurc.target, hurc.read_name)


@each("lang", ["hu", "en"])
def test_2cq(lang):
    for pair in pairs("openhueval_huproverbrea_2cq", prompt_lang=lang):
        if pair[0]["qid"] != pair[1]["qid"]:
            check(pair, templates.prompt, templates.target, openhueval.chosen_option)


@each("asked", [{"script": "tc"}, {"script": "sc"}, {"method": "cot", "cot_layout": "fig22"}])
def test_hkmmlu(asked):
    for task in ("hkmmlu_hk_law", "hkmmlu_economics"):
        for pair in pairs(task, shots=0, **asked):
            check(pair, hkmmlu.user_message, hkmmlu.target, hkmmlu_hooks.read)


@each("share", [0.4, 0.6, 0.8])
def test_a_premise_cut_off_is_no_answer(share):
    for corpus in ("hucb", "hurte"):
        for doc, _ in pairs(f"hulugen_{corpus}", prompt=1, split="validation"):
            assert hulu.read_label(doc, doc["premise"][: int(share * len(doc["premise"]))]) is None
