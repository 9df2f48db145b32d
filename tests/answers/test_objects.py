"""The objects in a reply, with the place of each value; the replies are written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.objects import answer_of, is_form, key_name, objects, outside, under_key
from hueval_metrics.answers.text import readable
from tests.linear import slower_than_linear

DEEP = 10_000
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=5), inner, max_size=3),
    max_leaves=8,
)


def found(reply):
    return [one.value for one in objects(readable(reply))]


def answers(text, keys=()):
    """The answers of the objects in a text, from the last to the first; a form holds none."""
    found = (answer_of(one, ("hu",), keys) for one in objects(text) if not is_form(one))
    return filter(None, found)


@pytest.mark.parametrize(
    ("why", "reply", "expected"),
    [
        ("the last comes first", '{"a": 1} x {"b": 2}', [{"b": 2}, {"a": 1}]),
        ("an object in prose", "Íme: {'válasz': 'Eger'}.", [{"válasz": "Eger"}]),
        ("prose in braces is none", "a {see below} and {0}", []),
        ("a number of a citation is none", "as said [1], [2]", []),
        ("a list of texts", '["#0#F", "#1#A"]', [["#0#F", "#1#A"]]),
        ("a list with single quotes", "['#0#F', '#1#A']", [["#0#F", "#1#A"]]),
        ("Hungarian quotes", "{„válasz”: „Eger”, „bizonyosság”: 90}", [{"válasz": "Eger", "bizonyosság": 90}]),
        ("full-width marks", "｛“answer”：“Eger”｝", [{"answer": "Eger"}]),
        ("Arabic comma and digits", '{"a": "x"، "b": ٨٥}', [{"a": "x", "b": 85}]),
        ("a raw line break in a text", '{"a": "x\ny"}', [{"a": "x\ny"}]),
        ("a comma too many", '{"a": 1,}', [{"a": 1}]),
        ("a quote in a text", '{"a": "Eg"er", "b": 1}', [{"a": 'Eg"er', "b": 1}]),
        ("doubled braces", '{{"a": 1}}', [{"a": 1}]),
        ("braces in a text", '{"a": "{x", "b": "}"}', [{"a": "{x", "b": "}"}]),
        ("cut off", '{"a": {"b": "x", "c": 8', [{"a": {"b": "x", "c": 8}}]),
        ("one string of JSON", r'"{\"a\": \"x\"}"', [{"a": "x"}]),
        ("a string of JSON in JSON", r'{"arguments": "{\"a\": \"x\"}"}', [{"arguments": {"a": "x"}}]),
        ("a tag", "<answer>Eger</answer>", [{"answer": "Eger"}]),
        ("tags in a tag", "<r><x>1</x><y>2</y></r>", [{"r": {"x": "1", "y": "2"}}]),
        ("JSON in a tag", '<tool_call>{"a": 1}</tool_call>', [{"tool_call": {"a": 1}}]),
        ("an attribute", '<blank id="0">F</blank>', [{"blank": {"id": "0", "text": "F"}}]),
        ("a name as attribute", '<parameter name="a">1</parameter>', [{"a": "1"}]),
        ("a name behind an equality sign", "<function=f><parameter=a>1</parameter></function>", [{"f": {"a": "1"}}]),
        ("markup is no object", "<b>Eger</b> <p>vár</p>", []),
        ("an open tag at the end", "<answer>\nEger", [{"answer": "Eger"}]),
        ("a tag named in prose", "I put it in <answer> tags.", []),
        ("a box", r"$\boxed{\text{Eger}}$", [{"boxed": r"\text{Eger}"}]),
        ("a call", 'submit(a="x", b=2)', [{"submit": {"a": "x", "b": "2"}}]),
        ("a call with one value", "answer('Eger')", [{"answer": "Eger"}]),
        ("brackets behind a name are no call", "Eger (1552), f(x)", []),
    ],
)
def test_objects(why, reply, expected):
    assert found(reply) == expected


@pytest.mark.parametrize(
    ("why", "reply", "expected"),
    [
        ("a Hungarian key", '{"válasz": 1}', [1]),
        ("a decomposed key", '{"va\u0301lasz": 1}', [1]),
        ("final before first", '{"final_answer": 2, "answer": 1}', [2]),
        ("the answer before the solution", '{"solution": "because", "answer": 1}', [1]),
        ("the answer before what may hold it", '{"result": 1, "correct answer": 2}', [2]),
        ("a wrong answer is none", '{"wrong_answer": 1}', []),
        ("an explanation of the answer is none", '{"answer_explanation": 1}', []),
        ("an example is none", '{"example": {"answer": 1}}', []),
        ("an answer in an answer", '{"answer": {"answers": ["x"]}}', [["x"]]),
        ("a repeated key: the last", '{"answer": 1, "answer": 2}', [2]),
        ("null is none", '{"answer": null}', []),
        ("a key of the caller", '{"label": 1}', [1]),
        ("a form is none", '{"answer": "…", "label": 0} {"answer": 1}', [1]),
        ("a placeholder in brackets is a form", '{"answer": "<your answer>"}', []),
        ("a letter in brackets is none", '{"answer": "<F>"}', ["<F>"]),
    ],
)
def test_answers(why, reply, expected):
    assert [one.value for one in answers(readable(reply), ["label"])] == expected


def test_values_of_a_repeated_key_are_all_given():
    (one,) = objects('{"label": "A", "label": "B"}')
    assert [value.value for value in under_key(one, ["label"])] == ["A", "B"]


def test_the_text_outside_keeps_its_places():
    text = readable('a {"reason": "CORRECT"} ｂ')
    rest = outside(text, objects(text))
    assert rest.plain.split() == ["a", "b"]
    assert rest.span(rest.plain.index("b"), len(rest)) == (24, 25)


@given(JSON, st.text(max_size=10))
def test_what_json_reads_is_read(value, prose):
    reply = json.dumps({"answer": [value, "x"]}, ensure_ascii=False)
    assert (
        next(objects(reply)).value == {"answer": [value, "x"]} or any(map(is_form, objects(reply))) or "{" in str(value)
    )
    for one in objects(prose + reply):
        assert one.start < one.end


@given(st.dictionaries(st.from_regex("[a-z]{1,5}", fullmatch=True), st.text(min_size=1, max_size=9), min_size=1))
def test_spans_hold_the_texts(data):
    reply = f"x {json.dumps(data, ensure_ascii=False)} y"
    for one in objects(reply):
        for leaf in one.leaves():
            written = reply[leaf.start : leaf.end]
            assert written == leaf.value or not written or json.loads(f'"{written}"') == leaf.value or "{" in reply[3:]


@given(st.lists(st.sampled_from('{}[]":,\\ab <>/=…(é'), max_size=40).map("".join))
def test_any_text_is_read(text):
    for one in objects(text):
        assert 0 <= one.start < one.end <= len(text)
        assert all(one.start <= leaf.start <= leaf.end <= one.end for leaf in one.leaves())


def runaways(length):
    return {
        "lists": "[" * length,
        "lists of texts": '["' * (length // 2),
        "objects": '{"a":' * (length // 5),
        "answers too deep": '{"answer":' * DEEP + "1" + "}" * DEEP,
        "lists too deep": "[" * DEEP + '"x"' + "]" * DEEP,
        "tags too deep": "<a>" * DEEP + "</a>" * DEEP,
        "empty objects in lists": "{" + "[{}" * (length // 3) + "}",
        "boxes": r"\boxed{" * (length // 7),
        "calls": 'f("' * (length // 3),
        "objects with a fault": '{"answer": 1, x}' * (length // 16),
    }


@pytest.mark.slow
def test_a_runaway_is_read_in_linear_time():
    def read(text):
        assert not [one for one in answers(text) if "x}" not in text]
        assert next(answers(text + '\n{"answer": "Eger"}')).value == "Eger"

    assert not slower_than_linear(read, runaways)


def test_key_names():
    assert [key_name(key) for key in (" Confidence-Score ", "Válasz", "v\u00e1lasz", "ＡＢ")] == [
        "confidence_score",
        "válasz",
        "válasz",
        "ab",
    ]
