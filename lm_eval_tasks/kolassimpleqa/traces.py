"""How the reasoning traces of KoLasSimpleQA are read (`declare.Traces`; §4.5 and Appendix E of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def question(doc: Mapping[str, Any]) -> str:
    """The question, in the language in which it was asked."""
    return str(doc["question"])


def reference(doc: Mapping[str, Any]) -> str:
    """Its right answer, likewise."""
    return str(doc["answer"])
