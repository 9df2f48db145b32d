"""The prompts, to the letter: as a model gets them, and as the paper prints them."""

from __future__ import annotations

import json
import re

import pytest

from hueval_metrics.registry import TASKS_DIR
from lm_eval_tasks.openhueval.templates import prompt
from tests.each import each
from tests.helpers import load_cases, shared

ROWS = load_cases("prompts_rows")
PLACEHOLDER = re.compile(r"\{\w+\}")
FIGURES = {"huproverbrea_2cq": 27, "hustandardfib": 30, "humatchingfib": 31}
MENDS = {  # misprints of the figures that the templates do not repeat
    "hustandardfib": ("Papi nőtlenység", "Papi nőtlenség"),
    "huproverbrea_2cq": ("context}", "{context}"),
    "humatchingfib": ("kora Magyarországnak.", "kora Magyarországának."),
}


@pytest.fixture
def task_of(tmp_path, monkeypatch):
    """A function that loads a task on the one row of a case."""
    from lm_eval.tasks import TaskManager

    def load(case):
        (tmp_path / "openhueval").mkdir()
        line = json.dumps(ROWS[case["file"]], ensure_ascii=False) + "\n"
        (tmp_path / "openhueval" / f"{case['file']}.jsonl").write_text(line, encoding="utf-8")
        monkeypatch.delenv("HUEVAL_SAMPLE")
        metadata = {**case["metadata"], "data_dir": str(tmp_path)}
        manager = TaskManager(include_path=TASKS_DIR, include_defaults=False, metadata=metadata)
        return manager.load([case["task"]])["tasks"][case["task"]]

    return load


@pytest.mark.parametrize("case", load_cases("prompts"), ids=lambda case: case["why"])
def test_prompt_and_target(case, task_of):
    task = task_of(case)
    docs = list(task.test_docs())
    assert [task.doc_to_text(doc) for doc in docs] == ["\n".join(lines) for lines in case["prompts"]]
    assert [task.doc_to_target(doc) for doc in docs] == case["targets"]


@each("name", FIGURES)
def test_english_template_is_the_papers(name):
    printed = figure(FIGURES[name])
    if name == "huproverbrea_2cq":  # printed as a Python expression: 'en': 'a line\n' +
        printed = re.sub(r"^(?:'en': )?'|' \+$", "", printed, flags=re.MULTILINE).replace(r"\n", "\n")
    printed = printed.strip().strip('"')
    wrong, right = MENDS[name]
    assert printed.count(wrong) == 1
    assert template(name, "en").split() == printed.replace(wrong, right).split()


@each("lang", ["en", "hu"])
def test_simple_qa_template_is_figure_21(lang):
    """Word for word; the figure lost the line breaks, so that the template has the public reference's."""
    texts = re.findall(r"'(en|hu)':\s+\"\"\"(.*?)\"\"\"", figure(21), flags=re.DOTALL)
    assert template("husimpleqa", lang).split() == dict(texts)[lang].split()
    form = template("husimpleqa", lang).split("\n")[2:]
    assert [line[:8] for line in form] == ["{", '    "ans', '    "con', "}"]


@each("lang", ["en", "hu"])
def test_open_ended_template_is_figure_26(lang):
    """To the letter: the figure is a Python expression that names its line breaks."""
    joined = re.sub(r"' \+\n'", "", figure(26)).replace("\n", " ").replace(r"\n", "\n")
    texts = re.findall(r"'(en|hu)': '(.*?:)'", joined, flags=re.DOTALL)
    assert template("huproverbrea_oe", lang) == dict(texts)[lang]


def figure(number):
    """What the paper prints above the caption of a figure."""
    paper = shared("papers", "openhueval.txt").read_text(encoding="utf-8")
    return paper[: paper.index(f"\nFigure {number}: Prompt for Model Inference")].split("```")[-2]


def template(name, lang):
    return (TASKS_DIR / "openhueval" / "prompts" / f"{name}.{lang}.txt").read_text(encoding="utf-8").rstrip("\n")


@each("name", [*FIGURES, "husimpleqa", "huproverbrea_oe"])
def test_templates_of_both_languages_ask_for_the_same(name):
    english, hungarian = (template(name, lang) for lang in ("en", "hu"))
    assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(hungarian))
    assert english.count("\n") == hungarian.count("\n")


@each(
    ("task", "lang"),
    [("{folder}/", "/secret"), ("../prompts/husimpleqa", "en"), ("husimpleqa", "de"), ("\ud800", "en"), (None, "en")],
)
def test_a_document_out_of_a_samples_file_names_no_other_file(task, lang, tmp_path):
    """Its prompt goes into reports and exports, where nobody wants the reader's own files."""
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    with pytest.raises(ValueError, match="no prompt template"):
        prompt({"task": task and task.replace("{folder}", f"{tmp_path}"), "prompt_lang": lang, "question": "?"})
