"""Loading a pushed data set in a process of its own, which knows of the fake Hub by the environment only."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.modules import ROOT

LOAD = """
import json, sys
from datasets import load_dataset
from hf_datasets.repo import content_hash

for streaming in (False, True):
    for config, split in json.loads(sys.argv[3]):
        rows = load_dataset(sys.argv[1], config, split=split, revision=sys.argv[2], streaming=streaming)
        print(config, split, content_hash(rows))
"""


def load(hub, tmp_path, repo_id, manifest, revision, token=None):
    """The content of all splits twice, as another person's process loads them: whole, then as a stream."""
    names = [(config, split) for config, splits in manifest.configs.items() for split in splits]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HF_HOME": str(tmp_path / "hf"),
        "HF_ENDPOINT": hub.url,
        "HF_HUB_DISABLE_XET": "1",
        **({"HF_TOKEN": token} if token else {}),
    }
    program = [sys.executable, "-c", LOAD, repo_id, revision, json.dumps(names)]
    return subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120)


def as_converted(manifest):
    """What `load` prints when every row is the one that was converted."""
    lines = [f"{c} {s} {file.content}" for c, splits in manifest.configs.items() for s, file in splits.items()]
    return lines * 2
