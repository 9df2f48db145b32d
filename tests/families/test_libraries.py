"""The libraries that tasks declare: all that scoring imports are among them, and a missing one shows first."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import requires

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.loader import require_libraries
from hueval_metrics.registry import families, known_tasks, task_spec
from tests.each import each
from tests.families.checkout import ROOT

# Scores the right answers of the tasks of a family in each variant, and prints which task imported which distribution
# by a line of ours; with "missing", in a process that has none of those that its tasks declare besides our own needs.
PROGRAM = """
import builtins, itertools, json, sys
from importlib import metadata

family_name, optional, state = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
known, found = metadata.Distribution.from_name, {}
modules = {module: name for module, names in metadata.packages_distributions().items() for name in names}
canonical = {module: name.lower().replace("_", "-") for module, name in modules.items()}
plain_import = builtins.__import__

def from_name(name):
    if state == "missing" and name.lower().replace("_", "-") in optional:
        raise metadata.PackageNotFoundError(name)
    return known(name)

def spying(name, globals=None, *rest, **named):
    library = canonical.get(name.partition(".")[0])
    by = str((globals or {}).get("__name__"))
    if current and library in optional and by.startswith(("hueval_metrics", "lm_eval_tasks", "hf_datasets")):
        found.setdefault(current, set()).add(library)
        if state == "missing":
            raise ModuleNotFoundError(name, name=name)
    return plain_import(name, globals, *rest, **named)

metadata.Distribution.from_name, builtins.__import__, current = from_name, spying, ""
from hueval_metrics.loader import documents, require_libraries
from hueval_metrics.records import Filtered, Verdict
from hueval_metrics.errors import HuevalError
from hueval_metrics.registry import families, task_spec

refused = {}
family = families()[family_name]
kinds = {}
for task, its in family.tasks.items():  # tasks alike but for their rows are one kind
    kinds.setdefault((task_spec(task).hook, its.output_type, tuple(its.metrics)), task)

def given(spec, doc):
    if spec.generates:
        verdict = Verdict(rubric=spec.rubric, label="CORRECT").to_dict() if spec.rubric else None
        return [Filtered(str(spec.target(doc)), verdict=verdict).to_json()]
    choices = spec.config["doc_to_choice"]
    return [(-1.0, False)] * len(choices(doc) if callable(choices) else choices)

for is_usual in (True, False):  # what the data of further variants need is not what scoring needs
    for task in kinds.values():
        spec = task_spec(task)
        try:
            require_libraries([spec])
        except HuevalError as error:
            refused[task] = str(error)
            continue
        values = {**family.variants, **spec.declared.variants}
        for chosen in [()] if is_usual else itertools.product(*values.values()):
            try:
                docs = documents(task, **dict(zip(values, chosen)))[0][:2]
            except HuevalError:
                continue
            for doc in docs:
                current = task
                spec.process_results(doc, given(spec, doc))
                current = ""
    if state == "missing":
        break
json.dump({"imported": {task: sorted(names) for task, names in found.items()}, "refused": refused}, sys.stdout)
"""


def optional() -> list[str]:
    """The distributions that no plain installation of ours has, in canonical spelling."""
    lines = [line for line in requires("hueval") or () if "extra ==" in line]
    core = {name_of(line) for line in requires("hueval") or () if "extra ==" not in line}
    return sorted({name_of(line) for line in lines} - core - {"hueval"})


def name_of(line: str) -> str:
    return (
        line.partition(";")[0].strip().split("[")[0].split(">")[0].split("<")[0].split("=")[0].lower().replace("_", "-")
    )


def scored(family: str, state: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, family, json.dumps(optional()), state],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def declared(task: str) -> set[str]:
    spec = task_spec(task)
    return {name.lower().replace("_", "-") for name in (*spec.family.libraries, *spec.declared.libraries)}


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.mark.process
@each("family", families())
def test_what_scoring_imports_is_declared(family):
    done = scored(family, "there")
    assert done["refused"] == {}
    for task, libraries in done["imported"].items():
        assert set(libraries) <= declared(task), task


@pytest.mark.process
@each("family", families())
def test_without_them_the_tasks_that_need_them_are_refused_and_the_others_are_scored(family):
    done = scored(family, "missing")
    needing = {task for task in known_tasks() if declared(task) & set(optional())}
    assert {task for task in needing if known_tasks()[task].name == family} == set(done["refused"])
    assert done["imported"] == {}
    assert all("pip install 'hueval[" in line for line in done["refused"].values())


def test_one_that_no_extra_has_is_named_itself(monkeypatch):
    task = next(iter(known_tasks()))
    monkeypatch.setattr("hueval_metrics.loader._version", lambda name: None if name == "rapidfuzz" else "1")
    needing = [name for name in known_tasks() if "rapidfuzz" in declared(name)]
    with pytest.raises(InputError) as error:
        require_libraries(map(task_spec, [task, *needing]))
    assert str(error.value).startswith(f"{needing[0]} and {len(needing) - 1 + (task in needing)} more cannot be scored")
    assert "without rapidfuzz. pip install 'rapidfuzz', or leave such tasks out" in str(error.value)
