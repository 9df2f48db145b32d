"""The pages of README.md and docs/ lead somewhere, and the commands, options and tasks that they show exist."""

from __future__ import annotations

import fnmatch
import re
import shutil
from functools import cache
from itertools import pairwise
from urllib.parse import urlsplit

import pytest

from docs import stage as staging
from docs.commands import parser_of
from docs.examples import OTHER_LANGUAGES, ROOT, RUN_LANGUAGES, blocks, commands, pages
from docs.stage import LINK
from docs.stage import pages as site_pages
from hueval_metrics import doctor
from hueval_metrics.cli import HARNESS_COMMANDS, _harness_command, _whole_parser
from hueval_metrics.judge.client import local_servers
from hueval_metrics.registry import TASKS_DIR, families, known_tasks, resolve
from hueval_metrics.reports.task_list import named_groups
from tests.each import each
from tests.fakes.judge_server import FakeJudge, even

PAGES = pages()
NAME = {page: page.relative_to(ROOT).as_posix() for page in PAGES}
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each("page", sorted(site_pages()), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for _, _, target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if scheme := urlsplit(target).scheme:
            assert scheme in ("https", "http", "mailto"), target
            assert " " not in target and urlsplit(target).netloc, target
        else:
            path, _, anchor = target.partition("#")
            leads_to = (page.parent / path).resolve() if path else page
            assert leads_to.exists(), target
            assert not anchor or anchor in anchors(leads_to), target


@each("page", PAGES, ids=NAME.get)
def test_every_block_says_what_it_is(page):
    """Else nobody runs it."""
    for block in blocks(page):
        assert block.language in (*RUN_LANGUAGES, *OTHER_LANGUAGES), f"{NAME[page]}:{block.line}"
        if block.language == "console":
            assert block.text.startswith("$ "), f"{NAME[page]}:{block.line}"
        if block.language not in RUN_LANGUAGES:
            assert not re.search(r"^(\$ )?(hueval|lm_eval|pip|make) ", block.text, re.MULTILINE), block.text


@cache
def names_of_tasks():
    """Every name that `--tasks` takes: tasks, groups, tags."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in TASKS_DIR.rglob("*.yaml"))
    tags = {name.strip() for found in re.findall(r"^tag: \[(.*)\]", text, re.MULTILINE) for name in found.split(",")}
    return {*known_tasks(), *re.findall(r"^group: (\S+)", text, re.MULTILINE), *tags}


def check_tasks(arguments):
    """The tasks that `--tasks` names exist."""
    for option, value in pairwise(arguments):
        if option == "--tasks":
            for pattern in value.split(","):
                assert any(fnmatch.fnmatchcase(name, pattern) for name in names_of_tasks()), pattern


def check_hueval(arguments):
    """Our own commands parse; so do lm-eval's."""
    check_tasks(arguments)
    if arguments[0] in HARNESS_COMMANDS:
        _harness_command(arguments[0])[1]().parse_args(arguments[1:])
    elif arguments[0] in families():
        parser_of(resolve(families()[arguments[0]].commands[arguments[1]])).parse_args(arguments[2:])
    else:
        _whole_parser()[0].parse_args(arguments)


@each("page", PAGES, ids=NAME.get)
def test_commands_exist(page):
    """Also of the examples that are not run, because they need a GPU, a network or money."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    setup = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    for words in (words for block in blocks(page) for words in commands(block)):
        words = [re.sub(r"\$\w+", "1", word) for word in words]
        if words[:4] == ["accelerate", "launch", "-m", "hueval_metrics"]:
            words[:4] = ["hueval"]
        match words:
            case ["hueval", *arguments]:
                check_hueval(arguments)
            case ["lm_eval", *arguments]:
                check_hueval(["run", *arguments])
            case ["make", target, *_]:
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), words
            case ["pip", "install", what, *_] if "[" in what:
                extras = re.findall(r"\w+", what.partition("[")[2])
                assert all(re.search(rf"^{extra} =", setup, re.MULTILINE) for extra in extras), words


def test_the_leaderboard_is_never_installed_without_the_engine_beside_it():
    """In pages, messages and comments, too: pip would take the engine from an index, or whoever has its name there."""
    folders = ("docs", "hueval_metrics", "leaderboard", "tests", ".github")
    files = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    texts = [path.read_text(encoding="utf-8") for path in files if path.suffix in (".cfg", ".md", ".py", ".yaml")]
    found = [line for text in texts for line in re.findall(r"pip install [^\n`]*\./leaderboard", text)]
    assert len(found) > 5
    assert [line for line in found if " . " not in line] == []


def may_ask_a_judge(words):
    """Whether a command asks the judge that the environment names: a paid one, where the reader has set a key."""
    match words:
        case ["hueval", "score", *_]:
            return True
        case ["hueval", "judge-bench", "make" | "run", *_]:
            return "--dry-run" not in words
        case ["hueval", "run", *_] | ["lm_eval", *_] | ["accelerate", "launch", *_]:
            asked = [name for option, value in pairwise(words) if option == "--tasks" for name in value.split(",")]
            tasks = {
                task for name in asked for task in (*named_groups().get(name, ()), *fnmatch.filter(known_tasks(), name))
            }
            return any(known_tasks()[task].tasks[task].rubric for task in tasks if task in known_tasks())
    return False


@each("page", PAGES, ids=NAME.get)
def test_no_command_spends_money_unless_the_line_above_says_so(page):
    """The blocks that are run say nothing: they are run without a key."""
    for block in blocks(page):
        if block.language in ("bash", "console") and not block.is_run:
            says_so = re.search(
                r"# asks a paid judge|# needs a server of your own|HUEVAL_JUDGE(_BASE_URL=|=(lexical|defer))",
                block.text,
            )
            asking = [words for words in commands(block) if may_ask_a_judge(words)]
            assert says_so or not asking, f"{NAME[page]}:{block.line}: {asking}"


@pytest.mark.parametrize(
    ("command", "asks"),
    [
        ("hueval run --model hf --tasks openhueval", True),
        ("lm_eval --model hf --tasks openhueval_*", True),
        ("hueval run --model hf --tasks hulu,openhueval_husimpleqa", True),
        ("hueval run --model hf --tasks hueval-rule", False),
        ("hueval run --model hf", False),
        ("hueval score results", True),
        ("hueval judge-bench run frozen --judge x", True),
        ("hueval judge-bench run frozen --judge x --dry-run", False),
        ("hueval table results", False),
    ],
)
def test_the_commands_that_may_spend_money_are_known(command, asks):
    assert may_ask_a_judge(command.split()) is asks


@each("page", PAGES, ids=NAME.get)
def test_tasks_in_the_text_exist(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for option in re.findall(r"--tasks '?([a-z][\w*,-]+)", text):
        check_tasks(["--tasks", option])


def test_the_report_of_a_local_judge_is_what_doctor_prints(monkeypatch):
    (shown,) = (block.text for block in blocks(ROOT / "docs" / "judges.md") if "$ hueval doctor\n" in block.text)
    with FakeJudge(even, models=["gpt-oss-20b@6cee5e81"]) as server:
        port = urlsplit(server.url).port
        monkeypatch.setattr(local_servers, "LOCAL_PORTS", (port,))
        printed = f"Judge\n  {doctor._judge()}\n".replace(f":{port}", ":8000")
    assert shown.endswith(printed)


def test_as_many_notebooks_are_announced_as_there_are():
    (word,) = re.findall(r"(\w+) \[notebooks\]", (ROOT / "docs/tutorials/compare.md").read_text(encoding="utf-8"))
    assert ["Four", "Five", "Six", "Seven"].index(word) + 4 == len(list((ROOT / "notebooks").glob("*.ipynb")))


def test_runs_that_show_what_a_setting_changes_differ_in_nothing_else():
    """A weaker baseline in the other script was taken for an effect of the script, with p = 0.015."""
    found = commands(blocks(ROOT / "docs/tutorials/subjects.md")[0])
    careful = [words[words.index("--model_args") + 1] for words in found if "model=careful" in " ".join(words)]
    assert len(careful) == 2 and len(set(careful)) == 1


def test_the_files_of_each_change_exist():
    text = (ROOT / "docs" / "where.md").read_text(encoding="utf-8")
    found = re.findall(r"`((?:\w+/)[^` ]*|CHANGELOG\.md)`", text)
    assert len(found) > 30
    assert [path for path in found if not [*ROOT.glob(re.sub(r"<\w+>", "*", path))]] == []


def test_the_site_is_built_strictly():
    """With `--quiet` mkdocs logs no warnings, and strict mode counts those that it logs: a broken link passed."""
    assert "\nstrict: true\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (build,) = re.findall(r"mkdocs build.*", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert build == "mkdocs build"


def test_the_site_opens_from_disk():
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "\nuse_directory_urls: false" in config  # else a link leads to a folder, which a browser lists
    assert "\n  - offline\n" in config and "\n  polyfills: [iframe-worker.js]" in config
    recipe = re.search(r"^docs:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipe[1].endswith('\t@echo "Open file://$(CURDIR)/site/index.html"\n')


def test_the_site_has_the_notebooks(monkeypatch, tmp_path):
    monkeypatch.setattr(staging, "STAGED", tmp_path)
    staging.stage()
    linked = re.findall(r"\]\((notebooks/\w+\.ipynb)\)", (tmp_path / "notebooks.md").read_text(encoding="utf-8"))
    assert sorted(linked) == [f"notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    assert all((tmp_path / page).is_file() for page in (*linked, "iframe-worker.js", "extra.css", "images/page.png"))


def test_search_needs_no_server(chromium, tmp_path):
    """The search of the theme is a worker, and it awaits what it imports; from a file a browser starts none."""
    shutil.copy(ROOT / "docs" / "iframe-worker.js", tmp_path)
    (tmp_path / "one.js").write_text("var one = 1;", encoding="utf-8")
    (tmp_path / "two.js").write_text("var two = one + 1;", encoding="utf-8")
    answer = "await importScripts('one.js', 'two.js'); postMessage(data + two);"
    (tmp_path / "worker.js").write_text(
        f"addEventListener('message', async ({{ data }}) => {{ {answer} }});", encoding="utf-8"
    )
    ask = "const asked = new Worker('worker.js'); asked.addEventListener('message', ({ data }) => { got = data; });"
    scripts = f"<script src=iframe-worker.js></script><script>{ask} asked.postMessage(40);</script>"
    (tmp_path / "page.html").write_text(f"<!doctype html><body>{scripts}", encoding="utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_function("window.got === 42")
    page.close()
