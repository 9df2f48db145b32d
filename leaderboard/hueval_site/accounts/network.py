"""The network of a sign-up, as a name that tells which of a month's sign-ups came from one, and no address."""

from __future__ import annotations

import hmac
import ipaddress
import secrets

from django.core.cache import cache

KEY, DAYS = "network-key", 30


def network_of(address: str) -> str:
    """A name of the /24 or /48 of an address; empty where it is none.

    It is an HMAC under a random key that is replaced every 30 days: later nobody can find the network by trying all.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return ""
    found = getattr(found, "ipv4_mapped", None) or found
    network = ipaddress.ip_network((found, 24 if found.version == 4 else 48), strict=False)
    key = cache.get_or_set(KEY, lambda: secrets.token_hex(32), DAYS * 86_400)
    return hmac.new(key.encode(), str(network).encode(), "sha256").hexdigest()[:16]
