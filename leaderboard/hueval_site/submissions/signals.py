"""What the room of submissions announces to rooms that come after it."""

from __future__ import annotations

from django.dispatch import Signal

was_queued = Signal()  # a submission waits to be scored, and its transaction is committed
