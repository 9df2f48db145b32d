"""The page's texts, in every language.

The page contains all languages, each in an element with its `lang`; the style sheet hides all but one. So the language
can be switched, and the page can be read without its script.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from hueval_metrics.features import features
from hueval_metrics.words.texts import FOLDER, Words

if TYPE_CHECKING:
    from markupsafe import Markup

FILES = ("figures", "items", "live", "page")


@cache
def page_words() -> Words:
    """The texts in HTML; those of features, too."""
    found = Words(FOLDER, *FILES, is_html=True)
    for one in features():
        found = found if one.words is None else found | Words(one.words)
    return found


def texts(key: str, /, **values: Any) -> dict[str, Markup]:
    """A text by language, as HTML.

    Args:
        key: of the text.
        **values: its parameters: text, which is escaped, or a mapping with a text for each language.

    >>> texts("unreadable_file", problem="<x>")["en"]
    Markup('Not read: &lt;x&gt;')
    """
    return page_words().texts(key, **values)


def both(key: str, /, **values: Any) -> Markup:
    """A text as a `<span>` for each language; arguments as for `texts`."""
    return spans(texts(key, **values))


def spans(by_language: Mapping[str, Any]) -> Markup:
    """A text by language as a `<span>` for each; text that is no markup is escaped."""
    from markupsafe import Markup

    return Markup("").join(Markup('<span lang="{}">{}</span>').format(*pair) for pair in by_language.items())


def heading(by_language: Mapping[str, str]) -> Markup | str:
    """A heading by language as `<span>`s; as it is where all languages have the same."""
    same = set(by_language.values())
    return same.pop() if len(same) == 1 else spans(by_language)
