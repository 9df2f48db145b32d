from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.reports.figures.names import short_names, task_name, width
from tests.each import each


def test_names_that_differ_in_the_middle_alone_show_it():
    """A number instead would be taken for the model's own: “Some-…struct 2” was the tenth."""
    labels = [f"org/Some-Long-Model-Name-{size}B-Instruct" for size in (7, 10, 70)]
    assert short_names(labels, most=12) == ["…7B-Instruct", "…10B-Instruct", "…70B-Instruct"]
    assert short_names([*labels, "org/other"])[3] == "other"


@each(
    ("labels", "shown"),
    [
        (["Qwen/Qwen2.5-7B-Instruct"], ["Qwen2.5-7B-Instruct"]),
        (["a/model", "b/model"], ["a/model", "b/model"]),  # the organisation is all that tells them apart
        (["/data/models/mine/"], ["mine"]),
        (["org/mine (a/b)", "org/mine (c/d)"], ["mine (a/b)", "mine (c/d)"]),  # brackets that tell two runs apart
        (["x" * 40], ["x" * 13 + "…" + "x" * 12]),
        (["x" * 40, "x" * 41], ["x" * 13 + "…" + "x" * 12, "x" * 12 + "…" + "x" * 11 + " 2"]),
        (["\x1b[31mred\u202e\ud800"], ["red\\ud800"]),
        (["bad\uffff\ufffe"], ["bad"]),  # no XML file may hold these two
        ([""], ["(unnamed)"]),
    ],
)
def test_names_are_short_harmless_and_distinct(labels, shown):
    assert short_names(labels) == shown


@given(st.lists(st.text(), unique=True, max_size=5))
def test_any_names_fit_and_stay_distinct(labels):
    shown = short_names(labels)
    assert len(set(shown)) == len(labels)
    assert all(width(name) <= 26.5 for name in shown)


def test_tasks_that_are_not_openhuevals_have_a_name_too():
    assert task_name("openhueval_huwildbench") == "HuWildBench"
    assert task_name("openhueval_<b>") == "openhueval_<b>"
