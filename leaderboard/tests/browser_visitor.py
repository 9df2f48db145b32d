"""Somebody in a real browser at a site that runs, and what a site writes to its people."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

from leaderboard.tests.people import PASSWORD
from tests.browser import needed

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


class Visitor:
    """Somebody with a browser, and what is wrong with the pages that were looked at."""

    def __init__(self, chromium: Any, address: str, scheme: str = "light") -> None:
        self.context = chromium.new_context(viewport=DESKTOP, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        # From now on choosers are Playwright's: asked for with the key press, the browser may open its own before.
        self.page.on("filechooser", lambda chooser: None)
        self.address = address
        self.faults: list[tuple[str, ...]] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append((self.page.url, str(error))))

    def open(self, path: str) -> None:
        """Go to a page, and look at it."""
        self.page.goto(path if path.startswith("http") else f"{self.address}{path}")
        self.look()

    def send(self, *, button: str = "form.stack .buttons button", **fields: str) -> None:
        """Fill in the fields with these ids, press a button and look at the answer."""
        for name, value in fields.items():
            self.page.fill(f"#id_{name}", value)
        with self.page.expect_navigation():
            self.page.locator(f"main {button}").first.click()
        self.look()

    def become_admin(self, link: str) -> None:
        """Make the first administrator's account by its link, and sign in with it."""
        self.open(link)
        self.send(email="admin@example.org", password=PASSWORD, again=PASSWORD)
        self.send(login="admin@example.org", password=PASSWORD)

    def join(self, mails: Path, team: str) -> None:
        """Sign up as anna@example.org, verify the address by the mail that comes, sign in, and found a team."""
        self.open("/accounts/signup/")
        self.send(email="anna@example.org", password1=PASSWORD, password2=PASSWORD)
        self.open(link_in_mail(mails, "anna@example.org", r"http://\S+/confirm-email/\S+"))
        self.send(button="form button")
        self.send(login="anna@example.org", password=PASSWORD)
        self.open("/my/team/")
        self.send(name=team)

    def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is on an element."""
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{self.page.url}: Tab does not lead to {selector}")

    def submit_by_keyboard(self, file: Path, **fields: str) -> None:
        """Choose a file, fill in the fields with these ids, in the order of the page, and send the form."""
        self._choose_by_keyboard(file)
        for name, value in fields.items():
            self.tab_to(f"#id_{name}")
            self.page.keyboard.type(value)
        self.tab_to("main form .buttons button")
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def _choose_by_keyboard(self, file: Path) -> None:
        """Choose a file; a browser that is busy may take the key for that of a page that no user has touched."""
        sync_api = needed("playwright.sync_api")
        self.page.bring_to_front()
        self.tab_to("#id_upload")
        for is_last in (False, False, True):
            try:
                with self.page.expect_file_chooser(timeout=40_000) as chooser:
                    self.page.keyboard.press("Space")
                return chooser.value.set_files(str(file))
            except sync_api.TimeoutError:
                if is_last:
                    raise
                self.page.bring_to_front()
                self.tab_to("#id_upload")

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):  # a refusal of the content security policy is one
            self.faults.append((self.page.url, message.text))

    def look(self) -> None:
        """Note what axe finds, on a wide screen and on a phone, and whether the page is wider than that."""
        axe = needed("axe_playwright_python.sync_playwright")
        for viewport in (PHONE, DESKTOP):
            self.page.set_viewport_size(viewport)
            if self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                self.faults.append((self.page.url, f"wider than {viewport['width']}"))
        for rule in axe.Axe().run(self.page).response["violations"]:
            if rule["impact"] in ("serious", "critical"):
                self.faults += [(self.page.url, rule["id"], node["html"][:200]) for node in rule["nodes"]]


def link_in_mail(folder: Path, to: str, pattern: str) -> str:
    """The first link of that kind in a mail to an address."""
    for _ in range(100):
        for file in sorted(folder.glob("*")):
            for mail in file.read_text(encoding="utf-8").split("-" * 79):
                if f"To: {to}" in mail and (found := re.search(pattern, mail.replace("=\n", ""))):
                    return found.group()
        time.sleep(0.1)
    raise AssertionError(f"no mail to {to} with {pattern}")


def printed(process: subprocess.Popen[str], pattern: str) -> str:
    """The first match in what a process prints."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found.group()
    raise AssertionError(f"it ended without {pattern}")
