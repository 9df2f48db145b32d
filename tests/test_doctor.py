"""`hueval doctor` and every other hint name extras that exist."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

from hueval_metrics import doctor

ROOT = Path(__file__).parents[1]


def extras():
    """Extra → the names of its packages, as setup.cfg has them."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    found = setup["options.extras_require"].items()
    return {extra: set(re.findall(r"^[\w-]+", text, re.MULTILINE)) for extra, text in found}


def test_doctor_lists_packages_under_the_extras_that_bring_them():
    known = extras()
    for extra, packages in doctor._EXTRAS.items():
        assert set(packages) <= known[extra]


def test_a_missing_extra_is_named_as_it_is_installed(monkeypatch, capsys, clean_environment):
    monkeypatch.setattr(doctor, "_version", lambda package: "-")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")
    doctor.diagnose()
    named = re.findall(r'pip install "hueval\[(\w+)\]"', capsys.readouterr().out)
    assert set(named) == set(doctor._EXTRAS)


def test_every_hint_names_an_extra_that_exists():
    sources = [
        path for folder in ("hf_datasets", "hueval_metrics", "lm_eval_tasks") for path in (ROOT / folder).rglob("*")
    ]
    texts = [
        path.read_text(encoding="utf-8") for path in [*sources, ROOT / "README.md"] if path.suffix in (".py", ".md")
    ]
    named = {extra for text in texts for extra in re.findall(r"(?:hueval|'\.)\[(\w+)\]", text)}
    assert {"hf", "vllm", "api"} <= named <= set(extras())
