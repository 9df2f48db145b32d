"""Puts the pages of the site together in build/docs: docs/, and the pages beside the code that they link to.

In the repository a link leads to a file wherever it lies. On the site a page of build/docs has that content, so links
to the files below become links to these pages; a link to any other file of the repository becomes its name.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
STAGED = ROOT / "build" / "docs"
COPIED = (".png", ".svg", ".css", ".js")
LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def pages() -> dict[Path, str]:
    """File of the repository → page of the site."""
    found = {path: path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    found |= {path: f"benchmarks/{path.parent.name}.md" for path in (ROOT / "lm_eval_tasks").glob("*/README.md")}
    found |= {path: f"benchmarks/{path.parent.name}-{path.stem}.md" for path in _beside(ROOT / "lm_eval_tasks")}
    found |= {
        path: f"benchmarks/{path.parents[1].name}-published.md"
        for path in (ROOT / "lm_eval_tasks").glob("*/published/README.md")
    }
    found |= {path: f"data/{path.parent.name}.md" for path in (ROOT / "hf_datasets").glob("*/README.md")}
    engine = ROOT / "hueval_metrics"
    found |= {
        path: f"engine/{'-'.join(path.parent.relative_to(engine).parts)}.md" for path in engine.rglob("*/README.md")
    }
    found |= {ROOT / f"{name}.md": f"project/{name.lower()}.md" for name in ("CONTRIBUTING", "SECURITY", "CHANGELOG")}
    found[ROOT / "notebooks" / "README.md"] = "notebooks.md"
    return found


def copied() -> dict[Path, str]:
    """File of the repository → file of the site, which has it as it is."""
    beside = {path: path.relative_to(DOCS).as_posix() for suffix in COPIED for path in DOCS.rglob(f"*{suffix}")}
    return beside | {path: f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")}


def _beside(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*/*.md") if path.name != "README.md")


def stage() -> None:
    """Write build/docs anew."""
    shutil.rmtree(STAGED, ignore_errors=True)
    found, as_they_are = pages(), copied()
    for source, page in found.items():
        target = STAGED / page
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        if text.startswith("---\n"):  # the head of a data set card is for the Hub
            text = text.split("\n---\n", 1)[1].lstrip()
        parts = _FENCE.split(text)
        parts[::2] = (_linked(part, source, page, found | as_they_are) for part in parts[::2])
        target.write_text("".join(parts), encoding="utf-8")
    for source, page in as_they_are.items():
        target = STAGED / page
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _linked(text: str, source: Path, page: str, found: dict[Path, str]) -> str:
    up = "../" * page.count("/")

    def link(match: re.Match[str]) -> str:
        picture, label, target = match.groups()
        path, _, anchor = target.partition("#")
        if urlsplit(target).scheme or not path:
            return match[0]
        leads_to = (source.parent / path).resolve()
        if leads_to.is_dir() and leads_to / "README.md" in found:
            leads_to /= "README.md"
        if leads_to in found:
            return f"{picture}[{label}]({up}{found[leads_to]}{'#' if anchor else ''}{anchor})"
        if picture or leads_to.is_relative_to(DOCS):
            return match[0]
        name = leads_to.relative_to(ROOT).as_posix()
        return f"{label} (`{name}`)" if label.strip("`") != name else f"`{name}`"

    return LINK.sub(link, text)


if __name__ == "__main__":
    stage()
    print(f"Wrote {STAGED.relative_to(ROOT)}")
