"""The cards: complete, in the form of evaluate's metric cards, and with examples that run."""

from __future__ import annotations

import doctest

import pytest
import yaml

from hueval_metrics.evaluate_modules import module_paths
from hueval_metrics.registry import task_spec
from tests.each import each

# The sections of evaluate's own cards, in their order.
SECTIONS = (
    *("## Metric description", "## How to use", "### Inputs", "### Output values", "### Examples"),
    *("## Limitations and bias", "## Citation", "## Further references"),
)
PATHS = module_paths()
NAMES = tuple(PATHS)
OVERVIEWS = {path.parent / "README.md" for path in PATHS.values()}
EACH = pytest.mark.parametrize("name", NAMES)


def card(name: str) -> tuple[dict, str]:
    _, head, text = (PATHS[name] / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(head), text


def run_examples(text: str, name: str) -> int:
    """Run the `>>>` examples of a text, and return their number; a fence ends the expected output."""
    plain = "\n".join("" if line.startswith("```") else line for line in text.splitlines())
    examples = doctest.DocTestParser().get_doctest(plain, {}, name, None, None)
    said: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(examples, out=said.append)
    assert not failed, "".join(said)
    return tried


@EACH
def test_sections(name):
    head, text = card(name)
    assert head["title"] and head["description"] and {"evaluate", "metric"} <= set(head["tags"])
    places = [text.find(f"\n{section}\n") for section in SECTIONS]
    assert -1 not in places
    assert places == sorted(places)
    assert f'module_path("{name}")' in text


@EACH
def test_every_input_and_output_is_described(name, module):
    _, text = card(name)
    metric = module(name)
    reference = metric.features["references"]
    inputs, _, rest = text.partition("### Inputs")[2].partition("### Output values")
    outputs = rest.partition("### Examples")[0]
    for field in ("predictions", "references", *(reference if isinstance(reference, dict) else ())):
        assert f"`{field}`" in inputs
    prediction = 0.5 if name == "calibration" else ""
    row = {
        "fib_matching": {"question": "#0#", "options": ["A.a"], "answer": ["#0#A"]},
        "fib_standard": {"questions": ["#0#"], "answers": ["#0#a"]},
        "two_choice_pairs": {"qid": "a", "correct_option": 1},
        "simple_qa_verdicts": {"label": None},
        "bidirectional": {"knowledge_track_id": "a", "is_reverse": False, "label": None, "question_lang": "hu"},
        "wb_score": {"score": None},
        "calibration": True,
    }[name]
    for key in metric.compute(predictions=[prediction], references=[row]):
        stem, _, dimension = key.rpartition("_")
        family = f"`{stem}_<dim>`" if dimension in ("l", "h", "lcc", "ep", "gp", "f", "ppl", "bf") else f"`{key}`"
        assert f"`{key}`" in outputs or family in outputs, key


@each("name", [name for name in NAMES if name != "calibration"])
def test_citation_is_the_familys(name, module):
    metric = module(name)
    assert metric.citation == task_spec(metric.TASK).family.citation


@EACH
def test_examples_of_the_card_and_of_the_help_run(name, module):
    _, text = card(name)
    shown = module(name).inputs_description
    assert shown in text
    assert shown.count(">>>") == text.count(">>>")
    assert run_examples(text, name) >= 4


def test_the_overview_names_each(own_folders):
    texts = [path.read_text(encoding="utf-8") for path in OVERVIEWS]
    for name in NAMES:
        assert any(f"[`{name}`]({name}/README.md)" in text for text in texts)
    assert all(run_examples(text, "README.md") >= 3 for text in texts)
