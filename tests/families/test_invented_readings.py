"""Text of an invented next item behind an answer changes no reading: neither kind, value nor spans."""

from __future__ import annotations

from itertools import product

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import resolve, task_spec
from tests.each import each

TASKS = (
    *("openhueval_husimpleqa", "openhueval_huproverbrea_2cq", "openhueval_humatchingfib", "openhueval_hustandardfib"),
    *("hulugen_hucola", "hulugen_hucopa", "hulugen_hurte", "hulugen_husst", "hulugen_huwnli", "hulugen_hucb"),
    *("hulugen_hurc", "hkmmlu_hk_law", "hkmmlu_economics"),
)
ANSWERS = ("{}", "{}\n", "**{}**", "{} ", "\n{}", "Answer: {}", "Az én válaszom: {}", "Nem tudom.")


@pytest.fixture(scope="module")
def sample():
    """Task → its first documents in the packaged sample, each with another key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        return {task: list({doc["qid"]: doc for doc in documents(task)[0]}.values())[:6] for task in TASKS}


def replies(spec, docs):
    """(document, answer, the same with one or two other items behind it, with an answer of their own or without)."""
    # A prompt of HuCoPA begins with a sentence, which may be a further line of what stands directly above it.
    breaks = ("\n\n",) if spec.name == "hulugen_hucopa" else ("\n", "\n\n")
    for form, place, gap, is_answered, is_followed in product(ANSWERS, range(len(docs)), breaks, *[(False, True)] * 2):
        doc, *others = docs[place:] + docs[:place]
        answer = form.replace("{}", spec.target(doc))
        invented = spec.prompt(others[0]) + f"\n{spec.target(others[0])}" * is_answered
        yield doc, answer, f"{answer}{gap}{invented}" + f"\n\n{spec.prompt(others[-1])}" * is_followed


@each("task", TASKS)
def test_an_invented_item_changes_no_reading(sample, task):
    spec = task_spec(task)
    read = resolve(spec.declared.reading)
    for doc, answer, reply in [*replies(spec, sample[task])][::7]:
        alone, both = read(doc, answer), read(doc, reply)
        assert (both.kind, both.value, both.spans) == (alone.kind, alone.value, alone.spans), reply
