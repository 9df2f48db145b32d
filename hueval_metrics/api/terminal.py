"""The terminal that text is made for."""

from __future__ import annotations

import shutil


def terminal_width() -> int:
    """Its columns; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns
