"""A figure's drawing as SVG inside the page: without styles, in the page's colours, every language, with its marks.

matplotlib's SVG is read as XML and written anew. Names of models are text or attributes of that tree, so whatever they
hold is escaped once, where the tree is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from hueval_metrics.reports.figures.figure import Figure, marked_svg
from hueval_metrics.reports.figures.sheet import NUMBER, Mark
from hueval_metrics.reports.figures.theme import PAGE, VARIABLES
from hueval_metrics.words.texts import ENGLISH, LANGUAGES, Texts, numbers

if TYPE_CHECKING:
    from markupsafe import Markup

_PIXELS = 4 / 3  # a point


def inline_svg(figure: Figure, wide: float, prefix: str) -> Markup:
    """Draw a figure for the page.

    Args:
        figure: the figure.
        wide: inches of the drawing.
        prefix: of its ids, so that they are unique in the page.

    Raises:
        InputError: matplotlib is not installed.
    """
    from markupsafe import Markup

    text, marks = marked_svg(figure, PAGE, wide)
    source = ElementTree.fromstring(text)
    size = {name: f"{float(source.attrib[name].removesuffix('pt')) * _PIXELS:.0f}" for name in ("width", "height")}
    # matplotlib's style sheet, which the page's policy does not allow, says the same of every element.
    common = {"viewBox": source.attrib["viewBox"], "stroke-linejoin": "round", "stroke-linecap": "butt"}
    svg = ElementTree.Element("svg", size | common)
    for child in source:
        svg.extend(_rewritten(child, prefix, figure.words))
    svg.extend(_boxes(marks, figure.words))
    return Markup(ElementTree.tostring(svg, encoding="unicode"))


def _rewritten(source: ElementTree.Element, prefix: str, words: Mapping[str, Texts]) -> Iterator[ElementTree.Element]:
    """The elements that stand for one of matplotlib's: groups that say nothing give way to what is in them."""
    tag = source.tag.rpartition("}")[2]
    attributes = dict(_attributes(source, tag, prefix))
    children = [element for child in source for element in _rewritten(child, prefix, words)]
    if tag == "style" or (tag in ("g", "defs") and not children):
        return
    if tag == "g" and source.get("id") == NUMBER:
        for child in children:
            _write_numbers(child)
    if tag == "g" and not attributes:
        yield from children
        return
    element = ElementTree.Element(tag, attributes)
    text = source.text if tag == "text" else None
    element.text = text
    if text is not None and text in words:
        _write_forms(element, words[text])
    element.extend(children)
    yield element


def _attributes(source: ElementTree.Element, tag: str, prefix: str) -> Iterator[tuple[str, str]]:
    """The attributes, and the declarations of its style as attributes."""
    for name, value in source.attrib.items():
        name = name.rpartition("}")[2]
        if name == "id" and tag == "g":
            continue
        if name == "id":
            yield name, prefix + value
        elif name == "href":
            yield name, f"#{prefix}{value.removeprefix('#')}"
        elif name == "clip-path":
            yield name, f"url(#{prefix}{value.removeprefix('url(#')}"
        elif name == "style":
            for declaration in value.split(";"):
                key, _, given = (part.strip() for part in declaration.partition(":"))
                yield key, f"var({VARIABLES[given]})" if given in VARIABLES else given
        elif name == "d":
            yield name, " ".join(value.split())
        else:
            yield name, value


def _write_numbers(text: ElementTree.Element) -> None:
    """Write a number in each language where they differ; the style sheet hides one of them."""
    forms = numbers(text.text or "")
    if len(set(forms.values())) > 1:
        _write_forms(text, forms)


def _write_forms(text: ElementTree.Element, forms: Mapping[str, str]) -> None:
    """Write a text in each language; the style sheet hides one of them."""
    text.text = None
    for language, form in forms.items():
        ElementTree.SubElement(text, "tspan", {"lang": language}).text = form


def _boxes(marks: Sequence[Mark], words: Mapping[str, Texts]) -> Iterator[ElementTree.Element]:
    """A box over each mark that shows its value; the arrow keys go from the first to the others."""
    for number, mark in enumerate(marks):
        box = {name: f"{value:.1f}" for name, value in zip(("x", "y", "width", "height"), mark, strict=False)}
        data = {"data-model": mark.model, "data-what": mark.what, "data-value": mark.value}
        for language in LANGUAGES:
            other = ", ".join(_worded(part, words, language) for part in mark.what.split(", "))
            data |= {f"data-what-{language}": other} if language != ENGLISH and other != mark.what else {}
        label = {"role": "img", "aria-label": f"{mark.model}, {mark.what}: {mark.value}"}
        yield ElementTree.Element("rect", box | data | label | {"class": "spot", "tabindex": "-1" if number else "0"})


def _worded(text: str, words: Mapping[str, Texts], language: str) -> str:
    """A text in another language; of one that ends in a number, such as `correct ≥ 0.3`, what precedes it.

    >>> _worded("correct ≥ 0.3", {"correct": {"hu": "helyes"}}, "hu")
    'helyes ≥ 0.3'
    """
    found = next((one for one in words if text == one or text.startswith(f"{one} ")), None)
    return text if found is None else words[found][language] + text[len(found) :]
