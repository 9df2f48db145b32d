"""How modules are found and loaded: by path, without a network, and several at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

import hueval_metrics.evaluate_modules
from hueval_metrics.errors import InputError
from hueval_metrics.evaluate_modules import module_path, module_paths

NAMES = tuple(module_paths())
EACH = pytest.mark.parametrize("name", NAMES)
RIGHT, WRONG = ({"qid": "a", "correct_option": option} for option in (1, 2))

# Everything but the pipes to this process is closed to the program; no variable says that it is offline.
WITHOUT_NETWORK = """
import json, socket, sys
def refuse(*_, **__): raise AssertionError("the network was asked")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
import evaluate
from hueval_metrics.evaluate_modules import module_path, module_paths
loaded = {name: evaluate.load(module_path(name)) for name in module_paths()}
scores = loaded["wb_score"].compute(predictions=["Kérdezd meg!"], references=[{"score": 7}])
files = {name: sys.modules[type(metric).__module__].__file__ for name, metric in loaded.items()}
print(json.dumps([scores["wb_score"], files]))
"""


def in_a_process(script: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
def test_offline_by_path(tmp_path):
    score, files = json.loads(in_a_process(WITHOUT_NETWORK, HF_HOME=str(tmp_path)))
    assert score == 70.0
    assert list(files) == list(NAMES)
    for file in files.values():
        assert Path(file).is_relative_to(tmp_path / "modules")  # a copy: what it imports must be installed


@pytest.mark.process
def test_the_list_of_modules_costs_nothing():
    script = "import sys, hueval_metrics.evaluate_modules; print({'evaluate', 'datasets', 'torch'} & set(sys.modules))"
    assert in_a_process(script) == "set()\n"


def test_names():
    assert NAMES == (
        "bidirectional",
        "calibration",
        "fib_matching",
        "fib_standard",
        "simple_qa_verdicts",
        "two_choice_pairs",
        "wb_score",
    )


@pytest.mark.parametrize("name", [name for name in NAMES if "openhueval" in str(module_paths()[name])])
def test_the_path_of_version_01_names_the_new_path(name, own_folders):
    import evaluate

    with pytest.raises(InputError) as told:
        evaluate.load(str(Path(hueval_metrics.evaluate_modules.__file__).parent / name))
    place = f"lm_eval_tasks/openhueval/evaluate_modules/{name}"
    assert str(told.value).startswith(f"the evaluate module {name} has moved to ")
    assert str(told.value).endswith(f'{place}. Load it by module_path("{name}")')


@EACH
def test_what_the_scanner_finds(name):
    """`evaluate` reads the imports line by line, and would download anything that it reads as a file of the module."""
    from evaluate.loading import get_imports

    found = get_imports(f"{module_path(name)}/{name}.py")
    assert {kind for kind, *_ in found} == {"library"}
    assert {library for _, library, *_ in found} >= {"hueval_metrics"}
    for _, library, path, _ in found:
        assert path == library and import_module(library)


@EACH
def test_metadata_of_a_module(name, module):
    metric = module(name)
    assert metric.name == name
    assert metric.module_type == "metric"
    assert metric.description and metric.citation.startswith("@") and metric.reference_urls
    columns = metric.features
    assert list(columns) == ["predictions", "references"]
    reference = columns["references"]
    if isinstance(reference, dict):
        assert set(reference) == set(metric.REFERENCE.model_fields)
    assert metric.inputs_description in metric.compute.__doc__
    for word in ("predictions", "references", *(reference if isinstance(reference, dict) else ())):
        assert word in metric.inputs_description


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("fib_maching", "Did you mean fib_matching?"),
        (
            "rouge",
            "One of: bidirectional, calibration, fib_matching, fib_standard, simple_qa_verdicts, two_choice_pairs, "
            "wb_score",
        ),
    ],
)
def test_an_unknown_name(name, end):
    with pytest.raises(InputError) as told:
        module_path(name)
    assert str(told.value) == f'there is no evaluate module "{name}". {end}'


class TestSideBySide:
    """Several objects that are filled at the same time."""

    @pytest.mark.parametrize("ids", [("one", "two"), (None, None)], ids=["of two experiments", "of the same"])
    def test_two_objects(self, own_folders, ids):
        import evaluate

        path = module_path("two_choice_pairs")
        first, second = (evaluate.load(path, experiment_id=experiment) for experiment in ids)
        for metric, reply in ((first, "1"), (second, "2"), (first, "2"), (second, "1")):
            metric.add(prediction=reply, reference=(RIGHT, WRONG)[len(metric)])
        assert (len(first), len(second)) == (2, 2)
        assert (first.compute()["acc"], second.compute()["acc"]) == (100.0, 0.0)

    def test_many_threads(self, own_folders):
        import evaluate

        def acc(n: int) -> float:
            metric = evaluate.load(module_path("two_choice_pairs"), experiment_id=f"thread-{n}")
            return metric.compute(predictions=["1", "2" if n % 2 else "1"], references=[RIGHT, WRONG])["acc"]

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(acc, range(8))) == [0.0, 100.0] * 4

    def test_shares_of_one_run_are_put_together(self, own_folders):
        """As with `accelerate launch`: each process adds its share, the first one returns the scores."""
        import evaluate

        def share(process: int) -> dict | None:
            metric = evaluate.load(
                module_path("two_choice_pairs"), num_process=2, process_id=process, experiment_id="shares"
            )
            return metric.compute(predictions=[("1", "2")[process]], references=[(RIGHT, WRONG)[process]])

        with ThreadPoolExecutor(2) as pool:
            scores, nothing = pool.map(share, range(2))
        assert nothing is None
        assert (scores["acc"], scores["n_single_order"]) == (100.0, 0)

    def test_in_memory(self, own_folders):
        import evaluate

        metric = evaluate.load(module_path("two_choice_pairs"), keep_in_memory=True)
        assert metric.compute(predictions=["1", "2"], references=[RIGHT, WRONG])["acc"] == 100.0

    def test_combined(self, own_folders, module):
        import evaluate

        both = evaluate.combine({"now": module("two_choice_pairs"), "then": evaluate.load(module_path("wb_score"))})
        reference = RIGHT | {"score": 4}
        both.add(prediction="1", reference=reference)
        scores = both.compute()
        assert (scores["acc_single"], scores["wb_score"]) == (100.0, 40.0)
