"""HuWildBench's prompt: the separators of the Hungarian turns, and who gets a system message."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.registry import TASKS_DIR
from lm_eval_tasks.openhueval.wild_bench import repair
from tests.each import each
from tests.helpers import json_lines, load_cases, shared, why

SAMPLE = TASKS_DIR.parent / "hf_datasets" / "openhueval" / "sample" / "HuWildBench.jsonl"
SEPARATORS = ("a kérdés az:", "a leírás:", "a válasz:")
SYSTEM = "You are a helpful Hungarian assistant."
NAME = "openhueval_huwildbench"


@pytest.mark.parametrize("case", load_cases("prompts_separators"), ids=why)
def test_repair(case):
    assert repair(case["turn"]) == case["repaired"]


@pytest.mark.parametrize("case", load_cases("prompts_separators"), ids=why)
def test_what_is_repaired_stays(case):
    if "repeats a separator" not in case["why"]:  # the user's own glued words look like a second separator
        assert repair(case["repaired"]) == case["repaired"]


@each("row", json_lines(SAMPLE), ids=lambda row: row["session_id"][:8])
def test_the_sample(row):
    turn = row["turn"][0]["content"]
    instruction, question, description = repair(turn).split("\n\n\n")
    assert not any(separator in repair(turn) for separator in SEPARATORS)
    before, rest = turn.split("a kérdés az: ")
    asked, described = rest.removesuffix("a válasz: ").split("a leírás: ")
    assert (instruction, question, description) == (before, f"A kérdés: {asked}", f"A leírás: {described}")


def test_the_turns_of_table_14():
    """They start with the question, and a space stands before the description."""
    paper = shared("papers", "openhueval.txt").read_text(encoding="utf-8")
    table = paper[: paper.index("\nTable 14:")].split("\n")[-6:]
    turns = [cell for line in table for cell in line.split("\t") if cell.startswith("a kérdés az: ")]
    assert len(turns) == 4
    for turn in turns:
        question, description = turn.removeprefix("a kérdés az: ").split(" a leírás: ")
        assert repair(turn) == f"A kérdés: {question}\n\n\nA leírás: {description}"


@given(st.text(alphabet=st.characters() | st.sampled_from("aA :\n?.kérdésazleírásválasz")))
def test_a_text_without_separators_stays(text):
    if not any(separator in text for separator in SEPARATORS):
        assert repair(text) == text.strip()


@given(st.lists(st.sampled_from([*SEPARATORS, "a kérdés az: ", "A válasz: ", "szó", "? ", " ", "\n", "."])))
def test_every_word_of_the_user_stays(pieces):
    """Whatever the turn: only separators, their capital and white space change."""
    turn = "".join(pieces)
    assert words(repair(turn)) == words(turn)


def words(text):
    return re.findall("szó", text)


@pytest.fixture
def first_prompt():
    """A function that gives the first document's prompt as lm-eval builds it, with or without a chat template."""
    from lm_eval.tasks import TaskManager

    def build(chat, **metadata):
        task = TaskManager(include_path=TASKS_DIR, include_defaults=False, metadata=metadata).load([NAME])
        (task,) = task["tasks"].values()
        template = {"apply_chat_template": True, "fewshot_as_multiturn": True, "chat_template": as_json} if chat else {}
        task.build_all_requests(limit=1, rank=0, world_size=1, **template)
        query = next(iter(task.test_docs()))["query"]
        return task.instances[0].args[0], query

    return build


def as_json(messages, add_generation_prompt=True):
    return json.dumps(messages)


@pytest.mark.parametrize(
    ("metadata", "system"),
    [({}, True), ({"wildbench_prompt": "original"}, False), ({"question_lang": "en"}, True)],
    ids=["racka", "original", "racka in English"],
)
def test_the_system_message(first_prompt, metadata, system):
    prompt, query = first_prompt(chat=True, **metadata)
    user = {"role": "user", "content": query}
    assert json.loads(prompt) == ([{"role": "system", "content": SYSTEM}, user] if system else [user])


@pytest.mark.parametrize(("variant", "end"), [("original", ""), ("base", "\n\nA válasz: ")])
def test_without_a_template_nothing_stands_before_the_question(first_prompt, variant, end):
    prompt, query = first_prompt(chat=False, wildbench_prompt=variant)
    assert prompt == query + end


def test_the_judge_reads_the_same_question_for_base_models(first_prompt):
    assert first_prompt(chat=False, wildbench_prompt="base")[1] == first_prompt(chat=True)[1]
