"""Filters of the templates."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hueval_metrics.api.boards import plain as plain_text
from hueval_metrics.api.boards import printable
from hueval_site.boards import every_board
from hueval_site.localized import text_of

register = template.Library()


@register.filter
def own(texts: Mapping[str, str]) -> str:
    """A family's text in the reader's language."""
    return text_of(texts)


@register.filter
def name(text: str) -> SafeString:
    """A name that somebody chose: without invisible characters, and unable to turn the direction of what follows."""
    return format_html("<bdi>{}</bdi>", plain_text(str(text)))


@register.filter
def plain(text: str) -> str:
    """The same where no element can stand, as in a title."""
    return plain_text(str(text))


@register.filter
def board_title(task: str) -> str:
    """The title of a task's board; the task itself, where the board is gone."""
    board = every_board().get(task)
    return board.title if board else task


@register.filter
def lines(text: str) -> str:
    """A text that somebody wrote, of several lines, without invisible characters."""
    return "\n".join(printable(line) for line in str(text).splitlines())


@register.filter
def billions(size: float) -> str:
    """A number of parameters in billions with three digits, as the reader's language writes it.

    >>> billions(0.5), billions(70.0), billions(7.615)
    ('0.5', '70', '7.62')
    """
    return number_format(f"{size:.3g}" if size < 1000 else f"{size:.0f}")
