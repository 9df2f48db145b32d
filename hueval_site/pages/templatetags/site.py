"""Filters of the templates."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from hueval_metrics.reports.escape import plain

register = template.Library()


@register.filter
def own(texts: Mapping[str, str]) -> str:
    """A family's text in the reader's language."""
    return texts.get((get_language() or "en")[:2]) or texts["en"]


@register.filter
def name(text: str) -> SafeString:
    """A name that somebody chose: without invisible characters, and unable to turn the direction of what follows."""
    return format_html("<bdi>{}</bdi>", plain(str(text)))
