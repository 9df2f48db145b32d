import pytest

from hueval_metrics.comparison.check import KINDS, Difference, differences, item_differences, refusal, untold
from tests.each import each

BASE = "task:t|v:1.0|data:aa|q:hu|prompt:hu-1|sample:no|shots:0|gen:g1|chat:no|reasoning:strip|limit:no|lm_eval:0.4.13"


@each(
    ("part", "other", "kind"),
    [
        ("data:aa", "data:bb", "data"),
        ("sample:no", "sample:yes", "data"),
        ("v:1.0", "v:2.0", "version"),
        ("prompt:hu-1", "prompt:en-2", "prompts"),
        ("q:hu", "q:en", "prompts"),
        ("shots:0", "shots:3", "prompts"),
        ("gen:g1", "gen:g2", None),
        ("chat:no", "chat:ab12", None),
        ("reasoning:strip", "reasoning:keep", None),
        ("limit:no", "limit:10", None),
        ("lm_eval:0.4.13", "lm_eval:0.4.14", None),
    ],
)
def test_data_prompts_and_version_forbid_and_how_a_model_was_run_does_not(part, other, kind):
    (found,) = differences(BASE, BASE.replace(part, other))
    assert found.kind == kind
    assert part.partition(":")[2] in found.text
    assert other.partition(":")[2] in found.text


@each("part", ["judge", "rubric", "system"])
def test_parts_that_only_judged_runs_have_forbid_too(part):
    (found,) = differences(f"{BASE}|{part}:a", f"{BASE}|{part}:b")
    assert found.kind in KINDS


@each("other", ["", "task:t|v:1.0", BASE.replace("gen:g1", "gen:?"), BASE + "|judge:gpt"])
def test_what_one_signature_does_not_tell_is_no_difference(other):
    assert differences(BASE, other) == []


def test_a_system_prompt_that_one_run_alone_has_is_another_prompt():
    """A finished run that names none had none: `gen` tells that its settings are known."""
    (found,) = differences(BASE, f"{BASE}|system:1a2b3c4d")
    assert (found.kind, found.text) == ("prompts", "system prompt (no against 1a2b3c4d)")
    assert differences(BASE.replace("gen:g1", "gen:?"), f"{BASE}|system:1a2b3c4d") == []


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (BASE, []),
        (BASE.replace("gen:g1", "gen:?"), ["system prompt", "generation settings"]),
        (BASE.replace("chat:no", "chat:?"), ["chat template"]),
        (BASE.replace("shots:0", "shots:?"), ["few-shot examples"]),
        (f"{BASE}|judge:gpt|rubric:r/1", ["judge", "rubric"]),
        (BASE.replace("data:aa", "data:?"), ["data hash"]),
        (BASE.replace("lm_eval:0.4.13", "lm_eval:?"), []),
        ("", []),
    ],
)
def test_what_only_one_tells_is_named(other, names):
    assert untold(BASE, other) == untold(other, BASE) == names


def test_what_none_tells_is_named_too():
    """Signatures that are equal only because nothing is known are no equal runs."""
    unknown = BASE.replace("shots:0", "shots:?").replace("gen:g1", "gen:?").replace("chat:no", "chat:?")
    assert untold(unknown, unknown) == ["few-shot examples", "generation settings", "chat template"]
    assert differences(unknown, unknown) == []


def test_what_forbids_comes_first():
    found = differences(BASE, BASE.replace("gen:g1", "gen:g2").replace("hu-1", "en-2").replace("0.4.13", "0.5"))
    assert [one.kind for one in found] == ["prompts", None, None]


def test_items_are_counted_and_the_first_three_named():
    ours, theirs = [(f"q{i}", None) for i in range(6)], [("q0", None), ("p", 2)]
    (found,) = item_differences(ours, theirs, ("A", "B"))
    assert found == Difference("items", "items (5 only in A: q1, q2, q3, …; 1 only in B: p/2)")


def test_the_same_items_in_another_order_are_the_same():
    assert item_differences([("a", 1), ("a", 2)], [("a", 2), ("a", 1)], ("A", "B")) == []


def test_a_refusal_names_what_differs_and_the_way_out():
    found = [
        Difference("prompts", "prompt (a against b)"),
        Difference("judge", "judge (x against y)"),
        Difference(None, "z"),
    ]
    assert refusal(found, ()) == (
        "different prompt (a against b), judge (x against y). To compare anyway: hueval compare --despite prompts,judge"
    )
    assert (
        refusal(found, ("judge",))
        == "different prompt (a against b). To compare anyway: hueval compare --despite judge,prompts"
    )
    assert refusal(found, ("judge", "prompts")) is None
    assert refusal([Difference(None, "z")], ()) is None


@each(
    ("ours", "theirs", "is_unlinked"),
    [
        ("judge:cheap", "judge:gold", True),
        ("calibration:ab12,cheap to gold,n=30,own|judge:cheap", "judge:gold", False),  # the reference itself
        (
            "calibration:ab12,cheap to people (2 raters),n=30,own|judge:cheap",
            "calibration:cd34,other to people (2 raters),n=99,transported|judge:other",
            False,
        ),
        ("calibration:ab12,cheap to gold,n=30,own|judge:cheap", "judge:other", True),
        ("calibration:ab12,cheap to gold,n=30,own|judge:cheap", "calibration:cd34,a to b,n=30,own|judge:a", True),
    ],
)
def test_linked_judges_need_no_hint_at_linking_them(ours, theirs, is_unlinked):
    (found,) = differences(f"{BASE}|{ours}", f"{BASE}|{theirs}")
    assert found.kind == "judge" and found.is_unlinked is is_unlinked
    assert ("hueval calibrate fit" in str(refusal([found], ()))) is is_unlinked
