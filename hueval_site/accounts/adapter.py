"""What the site does otherwise than allauth by default."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class Adapter(DefaultAccountAdapter):
    """Sign-up is open; a staff account cannot be made by it."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether new accounts can be made."""
        return True
