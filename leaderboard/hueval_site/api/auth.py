"""Who asks: a bearer token, and nothing else. Cookies are not looked at, so that no page can make a browser submit."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.adapter import get_adapter
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from hueval_site.accounts.models import Token, User
from hueval_site.api.rates import count

FAILURES = 30  # of tokens, from one address in a minute
CHANGES = 30  # requests with one token in a minute that change something
USED_EVERY = timedelta(minutes=1)  # how exactly the time of a token's last use is known
LONGEST = 200  # characters of a token; ours have about 50


class Bearer(HttpBearer):
    """The user of the token in `Authorization: Bearer …`."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The user; None for an unknown token, and for one of an account that was closed.

        Raises:
            ApiError: too many unknown tokens came from this address, or too many changes with this token.
        """
        text = token.strip()
        known = Token.objects.select_related("user__team").filter(digest=Token.digest_of(text[:LONGEST])).first()
        if known is None or len(text) > LONGEST or not known.user.is_active:
            count("unknown-token", address_of(request), FAILURES)
            return None
        if request.method not in ("GET", "HEAD"):
            count("change", known.digest, CHANGES)
        now = timezone.now()
        if known.used is None or abs(now - known.used) > USED_EVERY:
            Token.objects.filter(pk=known.pk).update(used=now)
        user: User = known.user
        return user


def address_of(request: HttpRequest) -> str:
    """The address of the client, as the limits of log-ins see it; empty where the server does not know it."""
    try:
        address: str = get_adapter().get_client_ip(request)
    except PermissionDenied:
        return ""
    return address
