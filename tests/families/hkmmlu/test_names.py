"""The ways to name HKMMLU's tasks on the command line: no glob takes a task twice."""

from __future__ import annotations

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.harness.tasks import HuevalTaskManager, leaves, resolve
from tests.each import each
from tests.harness.runs import hueval_here


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")


@pytest.fixture(scope="module")
def manager():
    return HuevalTaskManager(["hkmmlu"])


@pytest.mark.parametrize(
    ("glob", "n_names", "n_tasks"),
    [
        ("hkmmlu_*", 66, 66),
        ("hkmmlull_*", 66, 66),
        ("hkmmlutr_*", 2, 2),
        ("hkmmlu*", 3, 134),  # the groups hkmmlu, hkmmlull and hkmmlu-translation
        ("hkmmlu-*", 5, 68),  # the four categories and hkmmlu-translation; the tag hkmmlu-hk adds nothing
        ("*hk*", 3, 134),
        ("hkmmlu-h*", 11, 28),  # the 18 subjects of hkmmlu-humanities, and 10 others of the tag hkmmlu-hk by name
        ("hkmmlull-[so]*", 3, 48),
    ],
)
def test_a_glob(manager, glob, n_names, n_tasks):
    names = resolve([glob], manager)
    tasks = [leaf for name in names for leaf in leaves(name, manager)]
    assert (len(names), len(tasks), len(set(tasks))) == (n_names, n_tasks, n_tasks)
    assert len(manager.load(names)["tasks"]) == n_tasks  # and lm-eval finds no duplicate


@pytest.mark.parametrize(
    ("names", "task", "first"),
    [
        ("hkmmlu,hkmmlu_hk_law", "hkmmlu_hk_law", "hkmmlu"),
        ("hkmmlu,hkmmlu-stem", "hkmmlu_basic_medical_science", "hkmmlu"),
        ("hkmmlu,hkmmlu-hk", "hkmmlu_hk_celebrity", "hkmmlu"),
    ],
)
def test_a_task_named_twice(manager, names, task, first):
    with pytest.raises(InputError) as refusal:
        resolve(names.split(","), manager)
    second = names.partition(",")[2]
    assert str(refusal.value) == f'task "{task}" is asked for twice, by "{first}" and by "{second}". Name it once'


def test_a_tag_and_a_task_in_it_are_one(manager):
    assert len(manager.load(resolve(["hkmmlu-hk", "hkmmlu_hk_law"], manager))["tasks"]) == 23


def test_an_unknown_subject_is_one_line_with_the_nearest():
    outcome = hueval_here("run", "--model", "dummy", "--tasks", "hkmmlu_hk_lore")
    assert outcome.status == 1
    assert outcome.complaints == [
        'hueval: unknown task "hkmmlu_hk_lore". Did you mean "hkmmlu_hk_law"? List them with: hueval ls tasks'
    ]


@each("tasks", ["hkmmlu", "hkmmlull_hk_law"])
def test_num_fewshot_names_the_key_that_asks_for_examples(tasks):
    outcome = hueval_here("run", "--model", "dummy", "--tasks", tasks, "--num_fewshot", 3)
    assert outcome.status == 1
    (line,) = outcome.complaints
    assert line.startswith("hueval: --num_fewshot 3: hkmmlu")
    assert line.endswith("""writes its examples into the question. Use --metadata '{"shots": 3}' instead""")


def test_num_fewshot_of_translations():
    outcome = hueval_here("run", "--model", "dummy", "--tasks", "hkmmlu-translation", "--num_fewshot", 3)
    assert outcome.status == 1
    assert outcome.complaints[0].endswith("whose answers the prompt would show. Leave --num_fewshot out")
