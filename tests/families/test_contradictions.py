"""A declaration, its hooks and its YAMLs that do not say the same: one line that names the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.families.checkout import TOYBENCH, checkout, commands, python

pytestmark = pytest.mark.process

REVIEW = {"film": "A", "genre": "mese", "text": "Szép.", "label": "jó", "review": "r01", "task": "reviews"}


@pytest.fixture(scope="module")
def contradictions(tmp_path_factory) -> Path:
    """Toybench with a task of no YAML, a metric that no hook returns, a key that nobody declared, a broken hook."""
    folder = checkout(tmp_path_factory.mktemp("contradictions"), TOYBENCH)
    tasks = folder / "lm_eval_tasks" / "toybench"
    (tasks / "toybench_riddles.yaml").unlink()
    code = (tasks / "hooks.py").read_text(encoding="utf-8")
    code = code.replace('"helpful": None', '"unasked": 1.0,\n        "helpful": None')
    code = code.replace('"weighted_f1": pair, ', "")
    (tasks / "hooks.py").write_text(code, encoding="utf-8")
    row = {"doc": {**REVIEW, "prompt_lang": "hu"}, "resps": [["jó"]], "doc_id": 0}
    letter = {"letter": "l1", "genre": "mese", "request": "?", "reference": ".", "task": "letters", "prompt_lang": "hu"}
    riddle = {"doc": {"riddle": "k1"}, "resps": [[["-1.0", "True"]], [["-2.0", "False"]]], "doc_id": 0}
    samples = {"reviews": row, "riddles": riddle, "letters": {**row, "doc": letter}}
    for name, sample in samples.items():
        (folder / f"{name}.jsonl").write_text(json.dumps(sample) + "\n", encoding="utf-8")
    return folder


def test_a_declaration_that_hooks_and_yaml_do_not_keep(contradictions):
    reviews, letters, riddles = commands(
        contradictions,
        [
            ["score", f"{name}.jsonl", "--task", f"toybench_{name}", "--output", f"out-{name}"]
            for name in ("reviews", "letters", "riddles")
        ],
        HUEVAL_JUDGE="defer",
    )
    file, hooks = (contradictions / "lm_eval_tasks" / "toybench" / name for name in ("family.py", "hooks.py"))
    assert [reviews.status, letters.status, riddles.status] == [1, 1, 1]
    assert reviews.complaints == [
        f"hueval: {file}: toybench_reviews declares weighted_f1, which {hooks}: reviews does not return. "
        "Return it or drop it"
    ]
    told = f"letters returns unasked, which {file} does not declare for toybench_letters. Declare it there"
    assert letters.complaints[-1] == f"hueval: {hooks}: {told}"
    assert riddles.complaints == [
        f"hueval: {file.parent}: no YAML has the task toybench_riddles, which family.py declares. "
        "Add toybench_riddles.yaml"
    ]


def test_a_rubric_that_lacks_something_stops_the_run_before_the_first_token(contradictions):
    rubric = contradictions / "lm_eval_tasks" / "toybench" / "rubrics" / "toyletters.py"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("MAX_TOKENS", "MOST_TOKENS"), encoding="utf-8")
    call = ("run", "--model", "hueval-baseline", "--tasks", "toybench_letters")
    (outcome,) = commands(contradictions, [call], HUEVAL_JUDGE="defer")
    assert outcome.status == 1
    assert outcome.complaints[-1] == f"hueval: {rubric}: a rubric needs MAX_TOKENS. Add it"


def test_a_rubric_without_a_scale_is_named(tmp_path):
    tree = checkout(tmp_path, TOYBENCH)
    rubric = tree / "lm_eval_tasks" / "toybench" / "rubrics" / "toyletters.py"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("LABELS", "WORDS"), encoding="utf-8")
    done = python(tree, "-c", "from hueval_metrics.runs.scales import scale_of; scale_of('toybench_letters')")
    assert done.err.splitlines()[-1].endswith(f"{rubric}: a rubric needs LABELS, or LOWEST and HIGHEST. Add them")
