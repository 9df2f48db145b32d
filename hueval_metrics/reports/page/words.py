"""The page's texts, in English and Hungarian.

The page contains both languages, each in an element with its `lang`; the style sheet hides one of them. So the language
can be switched, and the page can be read without its script.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.features import features
from hueval_metrics.text.foreign import own_yaml

if TYPE_CHECKING:
    from markupsafe import Markup

LANGUAGES = ("en", "hu")


@cache
def words(language: str) -> dict[str, str]:
    """Key → text in HTML, with `{names}` to fill in; those of features, too."""
    found: dict[str, str] = {}
    folders = [Path(__file__).with_name("words"), *(one.words for one in features() if one.words is not None)]
    for folder in folders:
        for file in sorted(folder.joinpath(language).glob("*.yaml")):
            found |= own_yaml(file)
    return found


def texts(key: str, **values: Any) -> dict[str, Markup]:
    """A text by language, as HTML.

    Args:
        key: of the text.
        **values: its parameters: text, which is escaped, or a mapping with a text for each language.

    >>> texts("unreadable_file", problem="<x>")["en"]
    Markup('Not read: &lt;x&gt;')
    """
    from markupsafe import Markup

    def named(language: str) -> dict[str, Any]:
        return {name: value[language] if isinstance(value, Mapping) else value for name, value in values.items()}

    return {language: Markup(words(language)[key]).format(**named(language)) for language in LANGUAGES}


def both(key: str, **values: Any) -> Markup:
    """A text as two `<span>`, one a language; arguments as for `texts`."""
    return spans(texts(key, **values))


def spans(by_language: Mapping[str, Any]) -> Markup:
    """A text by language as a `<span>` for each; text that is no markup is escaped."""
    from markupsafe import Markup

    return Markup("").join(Markup('<span lang="{}">{}</span>').format(*pair) for pair in by_language.items())


def heading(by_language: Mapping[str, str]) -> Markup | str:
    """A heading by language as `<span>`s; as it is where all languages have the same."""
    same = set(by_language.values())
    return same.pop() if len(same) == 1 else spans(by_language)


def numerals(text: str, language: str) -> str:
    """Numbers as a language writes them; the page's script does the same when the language is switched.

    >>> numerals("[59.0, 63.1]", "hu"), numerals("61.23 ± 1.9", "en")
    ('[59,0; 63,1]', '61.23 ± 1.9')
    """
    return text.replace(", ", "; ").replace(".", ",") if language == "hu" else text
