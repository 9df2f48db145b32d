"""What pages show of the phase of a board."""

from __future__ import annotations

from typing import Any

from hueval_site.phases import PhaseState
from hueval_site.submissions.models import Phase
from hueval_site.submissions.phases import PHASE_STATES, standing


def phase_context(phase: Phase) -> dict[str, Any]:
    """For `pages/_dates.html`: a phase, its state, when that changes; nothing without dates."""
    if not phase.is_dated:
        return {}
    state = standing(phase)
    following = {PhaseState.UPCOMING: phase.opens, PhaseState.OPEN: phase.freezes, PhaseState.FROZEN: phase.closes}
    changes = following.get(state) or (phase.closes if state == PhaseState.OPEN else None)
    return {"phase": phase, "phase_state": PHASE_STATES[state], "phase_changes": changes}
