"""The traces printed in OpenHuEval's Figures 32, 43 and 44: what a careful reader marks in them is what is found."""

from __future__ import annotations

import json
import re

from hueval_metrics.answers.statements.read import of_options
from tests.helpers import shared

MORPHEMES = {
    **{"A": "toldalék", "B": "jelentése", "C": "egyszerű", "D": "összetett"},
    **{"E": "rag", "F": "képző", "G": "jel", "H": "egység"},
}
MANIPULATION = {
    **{"A": "FIGYELEMELTERELÉS", "B": "MANIPULATÍV TÉMAVÁLASZTÁS", "C": "HAZUGSÁG"},
    **{"D": "KIEMELÉS A SZÖVEGKÖRNYEZETBŐL", "E": "TÚLHANGSÚLYOZÁS"},
}


def between(start: str, end: str) -> str:
    paper = shared("papers", "openhueval.txt").read_text(encoding="utf-8")
    return paper[paper.index(start) : paper.index(end)]


def stated(trace: str, options: dict[str, str]) -> str:
    found = of_options(trace, {n: f"#{n}#" for n in range(len(options))}, options)
    return " ".join(f"{one.part[1:-1]}{one.value}" for one in found)


def test_deepseek_r1_of_figure_43_with_a_question_left_open():
    figure = between("Deepseek-R1 reasoning segment classification example", "Figure 43: Example")
    trace = "\n\n".join(map(json.loads, re.findall(r'"text": ("(?:[^"\\]|\\.)*")', figure)))
    assert stated(trace, MANIPULATION) == "0C 0C 1B 0C 1B 2E 3D 4A"


def test_qwq_of_figure_44():
    figure = between("QwQ reasoning segment classification example", "Figure 44: Example")
    trace = "\n\n".join(map(json.loads, re.findall(r'"text": ("(?:[^"\\]|\\.)*")', figure)))
    assert stated(trace, MANIPULATION) == "0C 0C 1B 2E 3D 4A 0C 1B 2E 3D 4A"


def test_the_example_in_the_prompt_of_figures_32_and_33():
    example = between("Figure 32: Prompt", "Figure 33: Prompt").replace('\\"', '"').replace("\\n", "\n")
    answer = "0H 1B 2A 3C 4D 5F 6G 7E"
    assert stated(example, MORPHEMES) == f"0H {answer} {answer}"
