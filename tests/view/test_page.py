"""The page of `hueval view` in a real browser, while a real run grows, is killed, goes on and ends."""

from __future__ import annotations

import os
import re
import signal
import sys
from threading import Semaphore

import pytest

from tests.fakes.chat_server import ChatServer
from tests.harness.runs import TIMEOUT_S, finish, start
from tests.view.conftest import RULE, ended

pytestmark = pytest.mark.process

pytest.importorskip("tenacity", reason="needs the api extra")

QUESTIONS = 6


def command(server, folder):
    model = f"model=m,base_url={server.url},num_concurrent=1,max_retries=1"
    return (
        *(sys.executable, "-m", "hueval_metrics", "run", "--model", "local-chat-completions", "--apply_chat_template"),
        *("--tasks", RULE, "--limit", QUESTIONS, "--model_args", model, "--output_path", folder),
    )


def until(page, condition):
    """Wait for something; the page's own policy forbids Playwright's way."""
    for _ in range(10 * TIMEOUT_S):
        if condition():
            return
        page.wait_for_timeout(100)
    pytest.fail("it never held")


@pytest.fixture
def browse(chromium):
    """Opens a page; in the end its script must have thrown nothing."""
    context = chromium.new_context(viewport={"width": 1280, "height": 700})
    page, errors = context.new_page(), []
    page.set_default_timeout(TIMEOUT_S * 1000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def begin():
    """Starts a process that does not outlive the test."""
    processes = []
    yield lambda arguments: processes.append(start(arguments)) or processes[-1]
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.mark.slow
def test_from_nothing_to_the_results(view, browse, begin, tmp_path):
    answers = Semaphore(0)  # how many more the model's server gives

    def reply(_):
        answers.acquire()
        return "1"

    folder = tmp_path / "out"
    address, server_process = view(folder)
    page = browse
    page.goto(address)
    bar = page.locator("#live")
    bar.get_by_text("Nothing here yet.").wait_for()
    with ChatServer(reply) as server:
        run = begin(command(server, folder))
        bar.locator("summary", has_text=f"0 / {QUESTIONS}").wait_for()

        # The first answer: the waiting page becomes the page, with the item.
        answers.release()
        page.locator("#list > li").wait_for()
        assert page.locator("#list > li").count() == 1
        assert page.locator("th[scope=row] bdi", has_text="m (live)").count() >= 1

        # More: the bar counts, the page stays until the reader asks; then the filter, the place and the looks stay.
        page.locator("#language").select_option("hu")
        page.locator("#theme").select_option("dark")
        page.locator("select[name=outcome]").select_option("w")
        page.locator("#items").scroll_into_view_if_needed()
        until(page, lambda: "outcome" in page.url)
        answers.release(2)
        bar.get_by_text("Új válaszok: 2").wait_for()
        before = page.evaluate("scrollY")
        assert before > 100
        with page.expect_navigation():
            bar.get_by_role("button").click()
        page.locator("#browser:not([hidden])").wait_for()
        assert page.evaluate("document.documentElement.lang") == "hu"
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.locator("select[name=outcome]").input_value() == "w"
        until(page, lambda: abs(page.evaluate("scrollY") - before) < 100)
        bar.locator("summary", has_text=f"3 / {QUESTIONS}").wait_for()
        assert not bar.get_by_role("button").is_visible()

        # A kill: the bar says so; the same command goes on, and nothing is asked twice.
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        bar.get_by_text("leállt", exact=True).wait_for()
        run = begin(command(server, folder))
        bar.get_by_text("leállt", exact=True).wait_for(state="hidden")
        answers.release(2 * QUESTIONS)  # the kill left one request waiting
        assert finish(run).status == 0
        bar.get_by_text("Nincs folyamatban futás. Minden eredmény megvan.").wait_for()
        page.locator("#language").select_option("en")
        bar.get_by_text("New results").wait_for()
        with page.expect_navigation():
            bar.get_by_role("button").click()
        page.locator("#browser:not([hidden])").wait_for()
        assert page.locator("th[scope=row] bdi", has_text=re.compile(r"^m$")).count() >= 1
        assert page.get_by_text("(live)").count() == 0
    assert list(folder.rglob("live_*")) == []

    # The end of the server.
    assert ended(server_process)[0] == 130
    bar.get_by_text("hueval view has ended: this page stays as it is.").wait_for()
