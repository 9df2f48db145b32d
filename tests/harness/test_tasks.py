"""The task manager that `hueval` hands to lm-eval."""

from __future__ import annotations

import logging
from pathlib import Path

import lm_eval.tasks
import pytest
from lm_eval.tasks import TaskManager

from hueval_metrics.errors import InputError
from hueval_metrics.harness.tasks import HuevalTaskManager, _is_named_in, _nearest, leaves, resolve
from hueval_metrics.registry import known_tasks
from tests.harness.runs import ALL_TASKS, metrics

OWN_TASK = """
task: own_task
output_type: generate_until
custom_dataset: !function hueval_metrics.loader.load
dataset_kwargs: {task: openhueval_huproverbrea_2cq}
test_split: test
doc_to_text: "{{hu_text}}"
doc_to_target: "{{correct_option}}"
generation_kwargs: {until: ["\\n"]}
metric_list: [{metric: exact_match}]
"""


@pytest.fixture
def own_folder(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "own_task.yaml").write_text(OWN_TASK, encoding="utf-8")
    return tmp_path / "own"


def test_knows_our_tasks_and_those_of_the_users_folder(own_folder):
    manager = HuevalTaskManager(["openhueval", "own_task"], include_path=str(own_folder))
    assert sorted(manager.all_subtasks) == sorted([*known_tasks(), "own_task"])


def test_indexes_the_built_in_tasks_only_when_one_is_wanted(own_folder, monkeypatch):
    asked = []
    init = TaskManager.__init__

    def spy(self, *args, include_defaults=True, **kwargs):
        asked.append(include_defaults)
        init(self, *args, include_defaults=include_defaults, **kwargs)

    monkeypatch.setattr(TaskManager, "__init__", spy)
    HuevalTaskManager(["openhueval_*"], include_path=own_folder)
    assert asked == [False]


@pytest.mark.slow
def test_built_in_tasks_stand_beside_ours(caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("lm_eval"), "propagate", True)
    manager = HuevalTaskManager(["openhueval", "hellaswag", "humaneval*"])
    assert len(manager.all_tasks) > 10_000
    assert "humaneval" in manager.match_tasks(["humaneval*"])
    assert manager.match_tasks(["hellaswag", "openhueval*"]) == sorted(["hellaswag", "openhueval", *ALL_TASKS])
    assert not [r for r in caplog.records if "overrides existing" in r.message or "Duplicate" in r.message]
    for names in (ALL_TASKS, ["openhueval"], ["hueval-rule", "hueval-judged"]):
        assert sorted(manager.load(list(names))["tasks"]) == sorted(ALL_TASKS)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("humatch", "openhueval_humatchingfib"),
        ("humatchingfib", "openhueval_humatchingfib"),
        ("OpenHuEval_HuMatchingFIB", "openhueval_humatchingfib"),
        ("simpleqa", "openhueval_husimpleqa"),
        ("openhuval", "openhueval"),
        ("hueval-jugded", "hueval-judged"),
    ],
)
def test_a_misspelt_name_of_ours_is_named_without_the_built_in_index(name, meant, monkeypatch):
    asked = []
    init = TaskManager.__init__

    def spy(self, *args, include_defaults=True, **kwargs):
        asked.append(include_defaults)
        init(self, *args, include_defaults=include_defaults, **kwargs)

    monkeypatch.setattr(TaskManager, "__init__", spy)
    with pytest.raises(InputError) as refusal:
        HuevalTaskManager([name])
    assert str(refusal.value) == f'unknown task "{name}". Did you mean "{meant}"? List them with: hueval ls tasks'
    assert asked == [False]


def test_a_built_in_name_near_to_ours_still_works():
    """humaneval looks like openhueval; so does a glob of such names."""
    folder = Path(lm_eval.tasks.__file__).parent
    assert _nearest("humaneval", ["openhueval"]) == "openhueval"
    assert _is_named_in(folder / "humaneval", "humaneval")
    assert not _is_named_in(folder / "humaneval", "humanev")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["openhueval"], ["openhueval"]),
        (["openhueval_*", "openhueval_humatchingfib"], sorted(ALL_TASKS)),
        (
            ["hueval-rule", "hueval-judged", "openhueval_humatchingfib"],
            ["hueval-judged", "hueval-rule", "openhueval_humatchingfib"],
        ),
    ],
)
def test_names_and_globs_stand_for_tasks(names, found):
    manager = HuevalTaskManager(names)
    assert sorted(resolve(names, manager)) == found
    assert {leaf for name in found for leaf in leaves(name, manager)} == set(ALL_TASKS)


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("openhueval*", ["openhueval"]),  # the group, for its tasks
        ("openhueval_hu[sm]*", ["openhueval_humatchingfib", "openhueval_husimpleqa", "openhueval_hustandardfib"]),
        ("hueval-*", ["hueval-judged", "hueval-rule"]),
        ("kolas-h*", ["kolas-hu"]),
        ("kolas-*", ["kolas-general", "kolas-specific"]),  # tags that hold what the tags of languages hold
    ],
)
def test_a_glob_takes_each_task_once(glob, found):
    manager = HuevalTaskManager([glob])
    names = resolve([glob], manager)
    assert names[: len(found)] == found
    below = [leaf for name in names for leaf in leaves(name, manager)]
    assert len(below) == len(set(below))
    assert set(below) == {leaf for name in manager.match_tasks([glob]) for leaf in leaves(name, manager)}


@pytest.mark.parametrize("names", ["openhueval,openhueval_humatchingfib", "openhueval,hueval-rule"])
def test_a_task_asked_for_twice_is_one_line(cli, names):
    outcome = cli("run", "--model", "dummy", "--tasks", names, "--limit", 1)
    assert outcome.status == 1
    (line,) = outcome.complaints
    assert "is asked for twice, by" in line and line.endswith("Name it once")


def test_validate_takes_globs(cli):
    outcome = cli("validate", "--tasks", "openhueval_*")
    assert outcome.status == 0
    assert "All tasks found and valid" in outcome.out


def test_validate_does_not_pass_over_what_it_cannot_check(cli, own_folder):
    outcome = cli("validate", "--tasks", f"openhueval_*,{own_folder / 'own_task.yaml'}")
    assert outcome.status == 1
    assert "Tasks not found" in outcome.out and "own_task.yaml" in outcome.out


def test_a_wrong_value_shows_before_the_model_loads(cli):
    """The model does not exist: its loading would fail otherwise."""
    model = ("--model", "hf", "--model_args", "pretrained=/nowhere/at/all")
    outcome = cli("run", *model, "--tasks", "openhueval", "--metadata", "prompt_lang=fr")
    assert outcome.status == 1
    assert outcome.complaints == ['hueval: --metadata prompt_lang: "fr" is not on offer. One of: en, hu']


def test_users_folder_reaches_the_run(cli, own_folder, tmp_path):
    include = ("--include_path", own_folder)
    outcome = cli("run", "--model", "dummy", "--tasks", "own_task,openhueval", "--limit", 2, *include)
    assert outcome.status == 0, outcome.err
    assert "|own_task|" in outcome.out
    assert "openhueval_humatchingfib " in outcome.out


@pytest.mark.slow
def test_a_task_by_its_file(cli, own_folder):
    outcome = cli("run", "--model", "dummy", "--tasks", own_folder / "own_task.yaml", "--limit", 2)
    assert outcome.status == 0, outcome.err
    assert "|own_task|" in outcome.out


@pytest.mark.parametrize(
    "tasks", ["openhueval", "openhueval*", "openhueval_*", "hueval-rule,hueval-judged", ",".join(ALL_TASKS)]
)
def test_every_way_to_name_the_tasks(cli, tmp_path, tasks):
    arguments = ("--model", "dummy", "--tasks", tasks, "--limit", 2, "--output_path", tmp_path)
    outcome = cli("run", *arguments)
    assert outcome.status == 0, outcome.err
    assert sorted(metrics(tmp_path)) == sorted(ALL_TASKS)


def test_tasks_from_a_config_file(cli, tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("model: dummy\ntasks: [openhueval]\nlimit: 2\n", encoding="utf-8")
    assert cli("run", "--config", config, "--output_path", tmp_path / "out").status == 0
    assert sorted(metrics(tmp_path / "out")) == sorted(ALL_TASKS)
