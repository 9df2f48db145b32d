"""What a trace states, in literal cases: which option or words for which blank, which of two options, which fact."""

from __future__ import annotations

import re

import pytest

from hueval_metrics.answers.statements.choice import choices
from hueval_metrics.answers.statements.read import of_options, of_words
from hueval_metrics.judge.stated import stated_answers
from hueval_metrics.loader import documents
from hueval_metrics.registry import resolve
from lm_eval_tasks.openhueval.family import FAMILY
from tests.helpers import CASES, load_cases, why

QUESTION = "A nyelv legkisebb önálló jelentéssel bíró része: #0#. Ennek saját #1# van. Lehet #2# vagy tő, #3# vagy #4#."
OPTIONS = {
    **{"A": "toldalék", "B": "jelentése", "C": "egyszerű", "D": "összetett"},
    **{"E": "rag", "F": "képző", "G": "jel", "H": "egység"},
}
EXAMPLE = ("#0#C", "#1#I", "#2#D", "#3#H", "#4#B", "#5#N", "#6#L")
BLANKS = {n: f"#{n}#" for n in range(8)}
QUESTIONS = (
    "A. A mohácsi csata éve: #0#.",
    "B. Az oszmán sereget #1# szultán vezette.",
    "C. A fővezér #2# érsek volt.",
)
KNOWN = ("1526", "1541", "I. Szulejmán", "Szulejmán", "Tomori Pál", "Tomori", "Perényi Péter")
READINGS = (
    "Szerintem a szóbeszédnek valami alapja mégiscsak van.",
    "Szerintem a szóbeszéddel egyáltalán nem kell foglalkozni.",
)
_MARKED = re.compile(r"⟦(missed )?(#\d#|answer)=([^⟧]+)⟧")


@pytest.mark.parametrize("case", load_cases("traces/stated_options"), ids=why)
def test_options(case):
    found = of_options(case["trace"], BLANKS, OPTIONS, [QUESTION], EXAMPLE)
    assert [f"{one.part}{one.value}" for one in found] == case["stated"]


@pytest.mark.parametrize("case", load_cases("traces/stated_words"), ids=why)
def test_words(case):
    example = ("#0#regula", "#1#ferencesrend")
    found = of_words(case["trace"], {n: f"#{n}#" for n in range(3)}, KNOWN, QUESTIONS, example)
    assert [f"{one.part}{one.value}" for one in found] == case["stated"]


@pytest.mark.parametrize("case", load_cases("traces/stated_choices"), ids=why)
def test_choices(case):
    assert [one.value for one in choices(case["trace"], READINGS)] == case["stated"]


@pytest.mark.parametrize("case", load_cases("traces/stated_facts"), ids=why)
def test_facts(case):
    found = stated_answers(*(case[name] for name in ("question", "reference", "trace", "response", "language")))
    assert "".join("R" if one.value in found.right["answer"] else "O" for one in found.statements) == case["stated"]
    assert found.approximate


def marked(task: str, number: int, name: str) -> list:
    """The traces of a file, each with its task and the number of its document."""
    _, *texts = (CASES / f"traces/marked_{name}.txt").read_text(encoding="utf-8").split("\n===== ")
    return [pytest.param(task, number, text, id=f"{name}: {text.partition(chr(10))[0]}") for text in texts]


@pytest.mark.parametrize(
    ("task", "number", "text"),
    [
        *marked("openhueval_humatchingfib", 0, "conquest"),
        *marked("openhueval_humatchingfib", 1, "stephen"),
        *marked("openhueval_humatchingfib", 2, "invasion"),
        *marked("openhueval_huproverbrea_2cq", 0, "proverb"),
        *marked("openhueval_hustandardfib", 0, "mohacs"),
    ],
)
def test_whole_traces_that_a_reader_has_marked(task, number, text, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    doc = documents(task)[0][number]
    trace = text.partition("\n")[2]
    found = resolve(FAMILY.traces[task].stated)(doc, _MARKED.sub("", trace), "").statements
    wanted = [(part, value) for missed, part, value in _MARKED.findall(trace) if not missed]
    assert [(one.part, one.value) for one in found] == wanted


def test_a_statement_begins_with_the_compound_that_its_longest_word_ends():
    found = stated_answers("Melyik kódex?", "Pray-kódex", "I think it is Pray-kódex. Igen, a Pray-kódexben.", "más")
    assert [one.start for one in found.statements] == [14, 34]
