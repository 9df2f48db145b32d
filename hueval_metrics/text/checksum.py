"""The checksum that a JSON file of ours has in itself, so that a change is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def checksum(data: Mapping[str, Any]) -> str:
    """The SHA-256 of an object's canonical JSON, its key `sha256` left out.

    >>> checksum({"a": 1, "b": "ő"}) == checksum({"sha256": "", "b": "ő", "a": 1}) != checksum({"a": 2, "b": "ő"})
    True
    """
    rest = {key: value for key, value in data.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
