"""Invalid input raises an error of one line that names row and field, and leaves the object usable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hueval_metrics.errors import InputError
from hueval_metrics.evaluate_modules import module_paths
from tests.each import each

GOOD = {
    "fib_matching": ('{"answer": ["#0#A"]}', {"question": "#0#", "options": ["A.Ady"], "answer": ["#0#A"]}),
    "fib_standard": ('{"answers": ["#0#Ady"]}', {"questions": ["#0#"], "answers": ["#0#Ady"]}),
    "two_choice_pairs": ("1", {"qid": "a", "correct_option": 1}),
    "simple_qa_verdicts": ('{"answer": "Ady", "confidence_score": 90}', {"label": "CORRECT"}),
    "bidirectional": (
        '{"answer": "Ady", "confidence_score": 90}',
        {"knowledge_track_id": "a", "is_reverse": False, "label": "CORRECT", "question_lang": "hu"},
    ),
    "wb_score": ("Kérdezd meg!", {"score": 7}),
    "calibration": (0.9, True),
}
HEADLINE = {
    "fib_matching": ("blank_acc", 100.0),
    "fib_standard": ("blank_acc", 100.0),
    "two_choice_pairs": ("acc_single", 100.0),
    "simple_qa_verdicts": ("correct", 100.0),
    "bidirectional": ("n_unpaired", 1),
    "wb_score": ("wb_score", 70.0),
    "calibration": ("n_confidence", 1),
}
NAMES = tuple(module_paths())
ALL = pytest.mark.parametrize("name", NAMES)
WITH_FIELDS = pytest.mark.parametrize("name", [name for name in NAMES if name != "calibration"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def error_of(metric, **inputs) -> str:
    with pytest.raises(InputError) as error:
        metric.compute(**inputs)
    message = str(error.value)
    assert message.splitlines() == [message]
    return message


def of(name: str, **changes) -> dict[str, list]:
    prediction, reference = GOOD[name]
    return {"predictions": [prediction], "references": [reference | changes]}


@ALL
def test_good(name, module):
    prediction, reference = GOOD[name]
    metric, value = HEADLINE[name]
    assert module(name).compute(predictions=[prediction], references=[reference])[metric] == value


@ALL
def test_lengths_differ(name, module):
    prediction, reference = GOOD[name]
    message = error_of(module(name), predictions=[prediction] * 3, references=[reference])
    assert message == "3 predictions and 1 references. Give each its own"


@ALL
def test_nothing_to_score(name, module):
    assert error_of(module(name), predictions=[], references=[]) == "no predictions: there is nothing to score"


@ALL
def test_nothing_was_added(name, module):
    with pytest.raises(ValueError, match="call `add` or `add_batch` at least once") as error:
        module(name).compute()
    assert "\n" not in str(error.value)


@ALL
@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "None"), ("1", "'1'"), (5, "5"), ({"a": 1}, "{'a': 1}")],
    ids=["no", "text", "number", "dict"],
)
def test_not_a_list(name, value, shown, module):
    prediction, reference = GOOD[name]
    wish = "is not a list. Give one value for each response"
    if value is not None:  # evaluate takes this for no predictions at all
        assert error_of(module(name), predictions=value, references=[reference]) == f"predictions: {shown} {wish}"
    assert error_of(module(name), predictions=[prediction], references=value) == f"references: {shown} {wish}"


@WITH_FIELDS
@each("value", [7, 0.5, b"1", ["1"], {"text": "1"}], ids=repr)
def test_a_prediction_that_is_no_text(name, value, module):
    _, reference = GOOD[name]
    prediction = GOOD[name][0]
    message = error_of(module(name), predictions=[prediction, value], references=[reference, reference])
    assert message == f"predictions[1]: input should be a valid string; found {value!r}"


@WITH_FIELDS
def test_half_a_surrogate_pair(name, module):
    _, reference = GOOD[name]
    message = error_of(module(name), predictions=["\ud800"], references=[reference])
    assert message.startswith("predictions[0]: no Unicode text, half a surrogate pair is in it")


@WITH_FIELDS
def test_a_reference_that_is_no_dict(name, module):
    prediction, _ = GOOD[name]
    message = error_of(module(name), predictions=[prediction], references=["A"])
    assert message.startswith("references[0]: input should be a valid dictionary")


@WITH_FIELDS
def test_every_field_that_must_be_there(name, module):
    prediction, reference = GOOD[name]
    for field in reference:
        rest = {key: value for key, value in reference.items() if key != field}
        message = error_of(module(name), predictions=[prediction], references=[rest])
        assert message == f'references[0]: the field "{field}" is missing'


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("fib_matching", {"options": "AB"}, ".options: input should be a valid list; found 'AB'"),
        ("fib_matching", {"answer": ["#0#A", 1]}, ".answer[1]: input should be a valid string; found 1"),
        ("fib_matching", {"answer": []}, ".answer: list should have at least 1 item after validation, not 0; found []"),
        ("fib_matching", {"question": None}, ".question: input should be a valid string; found None"),
        ("fib_standard", {"questions": "#0#"}, ".questions: input should be a valid list; found '#0#'"),
        ("two_choice_pairs", {"correct_option": 0}, ".correct_option: input should be 1 or 2; found 0"),
        ("two_choice_pairs", {"correct_option": "1"}, ".correct_option: input should be 1 or 2; found '1'"),
        ("two_choice_pairs", {"qid": 17}, ".qid: input should be a valid string; found 17"),
        (
            "simple_qa_verdicts",
            {"label": "A"},
            ".label: input should be 'CORRECT', 'INCORRECT' or 'NOT_ATTEMPTED'; found 'A'",
        ),
        ("bidirectional", {"is_reverse": "yes"}, ".is_reverse: input should be a valid boolean; found 'yes'"),
        ("bidirectional", {"knowledge_track_id": 7}, ".knowledge_track_id: input should be a valid string; found 7"),
        ("wb_score", {"score": 0}, ".score: input should be greater than or equal to 1; found 0"),
        ("wb_score", {"score": 11}, ".score: input should be less than or equal to 10; found 11"),
        ("wb_score", {"score": float("nan")}, ".score: input should be less than or equal to 10; found nan"),
        ("wb_score", {"score": "8"}, ".score: input should be a valid number; found '8'"),
        (
            "wb_score",
            {"hu_specific_dim": "sport"},
            ".hu_specific_dim: expected one of: Language; History; Life, Culture, and Customs; Education and "
            "Profession; Geography and Place; Figure; Politics, Policy, and Law; Business and Finance; found 'sport'",
        ),
    ],
)
def test_a_field_that_does_not_fit(name, changes, message, module):
    assert error_of(module(name), **of(name, **changes)) == f"references[0]{message}"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (([95], [1]), "predictions[0]: input should be less than or equal to 1; found 95"),
        (([-0.1], [1]), "predictions[0]: input should be greater than or equal to 0; found -0.1"),
        ((["0.9"], [1]), "predictions[0]: input should be a valid number; found '0.9'"),
        (([0.9], [2]), "references[0]: input should be a valid boolean, unable to interpret input; found 2"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_calibration(inputs, message, module):
    assert error_of(module("calibration"), predictions=inputs[0], references=inputs[1]) == message


@each("edges", ["", "up", None, 1])
def test_no_edges(module, edges):
    with pytest.raises(InputError, match="edges: expected left or right; found"):
        module("calibration").compute(predictions=[0.9], references=[True], edges=edges)


@each("bins", [0, -1, 2.5, "a", True, None])
def test_no_number_of_bins(module, bins):
    with pytest.raises(InputError, match="bins: expected a whole number from 1; found"):
        module("calibration").compute(predictions=[0.9], references=[True], bins=bins)


def test_arrays(module):
    given = {"predictions": np.array([0.75, 0.25], dtype="float32"), "references": np.array([1, 0])}
    assert module("calibration").compute(**given) == {"ece": 0.25, "brier": 0.0625, "n_confidence": 2}


def test_columns_of_a_data_set(module):
    from datasets import Dataset

    prediction, reference = GOOD["fib_matching"]
    rows = Dataset.from_list([{"response": prediction, "row": reference | {"qid": "a"}}] * 2)
    scores = module("fib_matching").compute(predictions=rows["response"], references=rows["row"])
    assert scores["blank_acc"] == 100.0


def test_the_same_presentation_twice(module):
    _, reference = GOOD["two_choice_pairs"]
    message = error_of(module("two_choice_pairs"), predictions=["1", "2"], references=[reference] * 2)
    assert message == "references: qid a, correct_option 1 is there twice. Give one response to each"


def test_the_same_fact_twice_in_one_direction(module):
    prediction, reference = GOOD["bidirectional"]
    message = error_of(module("bidirectional"), predictions=[prediction] * 2, references=[reference] * 2)
    assert message == "references: knowledge_track_id a, is_reverse False is there twice. Give one response to each"


@ALL
def test_a_row_of_the_data_set_has_more_fields(name, module):
    prediction, reference = GOOD[name]
    more = reference | {"source_info": {"url": None}, "question_en": "…"} if isinstance(reference, dict) else reference
    metric, value = HEADLINE[name]
    assert module(name).compute(predictions=[prediction], references=[more])[metric] == value


@ALL
def test_after_an_error_the_object_goes_on(name, module):
    """Responses added before are kept, the rejected one is not added, and no lock remains."""
    prediction, reference = GOOD[name]
    metric = module(name)
    metric.add(prediction=prediction, reference=reference)
    with pytest.raises(InputError):
        metric.add(prediction=["no"], reference=reference)
    assert metric.compute()[HEADLINE[name][0]] == HEADLINE[name][1]
    with pytest.raises(TypeError, match="nonsense"):
        metric.compute(predictions=[prediction], references=[reference], nonsense=1)
    assert not any(lock.is_locked for lock in metric.filelocks)
    assert metric.compute(predictions=[prediction], references=[reference])[HEADLINE[name][0]] == HEADLINE[name][1]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(NAMES), prediction=JSON, data=st.data())
def test_anything_at_all(name, prediction, data, module):
    """Any row is scored or rejected with an error of one line."""
    model = module(name).REFERENCE
    if isinstance(model, type) and issubclass(model, BaseModel):
        good = st.fixed_dictionaries(dict.fromkeys(GOOD[name][1], JSON))
        mixed = st.builds(
            lambda changes: GOOD[name][1] | changes, st.dictionaries(st.sampled_from([*GOOD[name][1]]), JSON)
        )
        reference = data.draw(JSON | good | mixed)
    else:
        reference = data.draw(JSON)
    try:
        scores = module(name).compute(predictions=[prediction], references=[reference])
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert all(value is None or value == value for value in scores.values())
