"""Admittance, a refusal without a reason and a passkey in a real browser, at a site as `hueval site up` runs it."""

from __future__ import annotations

import json

import pytest

from leaderboard.tests.browser_visitor import Visitor, printed
from leaderboard.tests.labelled import predictions, write_labelled
from leaderboard.tests.people import PASSWORD
from leaderboard.tests.running import answered, free_port, site_env, started

pytestmark = [pytest.mark.slow, pytest.mark.process]
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def test_admittance_a_refusal_without_a_reason_and_a_passkey(chromium, tmp_path):
    write_labelled(tmp_path / "data", tmp_path / "labels")
    file = tmp_path / "cola_test.json"
    file.write_text(json.dumps(predictions("hucola", 0.8)), encoding="utf-8")
    port, language = free_port(), "hu"
    address = f"http://localhost:{port}"  # passkeys need a name, not a number
    env = site_env(tmp_path, port=str(port), url=address, language=language, admits_all="false")
    with started("up", tmp_path, "--port", port, env=env) as process:
        link = printed(process, r"http://\S+/setup/\S+")
        answered(f"{address}/{language}/")
        admin, anna = Visitor(chromium, f"{address}/{language}"), Visitor(chromium, f"{address}/{language}")

        admin.become_admin(link)
        anna.join(tmp_path / "mail", "Puli kutatók")
        admin.open("/staff/")
        admin.send(button="table button")

        anna.open("/submit/hulu_hucola/")
        anna.page.set_input_files("#id_upload", str(file))
        anna.send(model_name="Puli LlumiX 32k", size="7.6", contamination="None known.")
        anna.page.wait_for_selector('form[action$="/publication/"]', timeout=120_000)  # htmx loads the page again
        anna.send(button='form[action$="/publication/"] button')
        admin.open("/staff/")
        admin.page.locator("main tbody th a").first.click()
        admin.page.wait_for_selector("#id_reason")
        admin.look()
        admin.send(button="button[value=refuse]")  # without a reason
        assert admin.page.locator("#id_reason[aria-invalid=true]").count() == 1
        for path in ("/my/", "/my/account/", "/my/tokens/", "/submit/", "/accounts/email/", "/accounts/2fa/"):
            anna.open(path)
        anna.open("/accounts/2fa/webauthn/add/")
        anna.send(password=PASSWORD)
        session = anna.context.new_cdp_session(anna.page)
        session.send("WebAuthn.enable")
        session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        anna.page.check("#id_passwordless")
        anna.send()
        anna.open("/accounts/2fa/webauthn/")
        anna.open("/accounts/logout/")
        anna.send()
        anna.open("/accounts/login/")
        with anna.page.expect_navigation(url=f"{address}/{language}/my/"):
            anna.page.click("#passkey_login")
        for visitor in (admin, anna):
            visitor.context.close()
    assert admin.faults == anna.faults == []
