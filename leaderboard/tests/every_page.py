"""Every page and every mail of a site with submissions in each state, to read in one language or the other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.admin.utils import quote
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from hueval_site.accounts import first_admin, teams
from hueval_site.accounts.models import Team, Token, User
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.mails import tell_admitted, tell_staff, tell_submitter, tell_waiting_team
from hueval_site.submissions.models import Decision, Mail, Note, Phase, Season, State, Submission
from hueval_site.submissions.moderation import ACCOUNT_ACTS, PHASE_ACTS, TEAM_ACTS
from hueval_site.submissions.seasons import new_season
from leaderboard.tests.filled import fill
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, PASSWORD, member, signed_in, submitted, upload

TASK, OTHER = "hulu_hucola", "hulu_hurte"
ANSWERS_PUBLIC, JUDGED = "openhueval_humatchingfib", "openhueval_huproverbrea_oe"
REASON = "Scoring failed. This does not count, and staff have been told."
FAULTS = [
    *({"row": row, "kind": {}, "text": {"en": f"row {row}: is wrong", "hu": f"{row}. sor: hibás"}} for row in (1, 2)),
]


def set_up() -> dict[str, User]:
    """Fill the site: people by what they are, with submissions of each state."""
    cache.clear()
    board = boards()[ANSWERS_PUBLIC]
    target = settings.CONFIG.data_dir / board.table.repo.name / str(board.table)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(board.table.repo.sample / str(board.table), target)
    people = {
        "anna": member(team="Puli kutatók"),
        "bela": member("bela@example.org", team="Agár kutatók"),  # whose team may still submit
        "staff": member("staff@example.org", team=None, is_staff=True),
        "head": member("head@example.org", team=None, is_staff=True),
        "nobody": member("nobody@example.org", team=None),
        "waiting": member("waiting@example.org", team="Új csapat"),
    }
    Team.objects.filter(name="Új csapat").update(is_admitted=False)
    Authenticator.objects.create(user=people["head"], type=Authenticator.Type.TOTP, data={})
    Token.create(people["anna"], "Qxz")
    settings.CONFIG.admits_all = False
    scored = submitted(people["anna"], 0.8)
    score_waiting()
    fill(10, [TASK, OTHER, ANSWERS_PUBLIC, JUDGED])
    season = new_season(boards()[OTHER], "0" * 64)
    hours = {"opens": -3, "freezes": -2, "closes": -1}
    dates = {name: timezone.now() + timedelta(hours=n) for name, n in hours.items()}
    Phase.objects.create(board=OTHER, season=season, **dates)  # as if `site.yaml` had none any more
    by_hand = [{"model": "Qxz", "source": "Qxz", "scores": {"mcc": 50.0}}]
    Season.objects.filter(board=TASK).update(by_hand=by_hand)
    for place, state in enumerate(State):
        one = Submission.objects.get(pk=scored.pk)
        one.pk, one.state, one.model_name = None, state, f"Model{place}"
        one.created = one.queued = timezone.now() - timedelta(seconds=place)
        if state in (State.FAILED, State.QUEUED):
            one.reason = REASON
        if state == State.FAULTY:
            one.faults, one.n_faults = FAULTS, 30
        one.n_flagged = place
        one.save()
    pending = Submission.objects.get(model_name=f"Model{list(State).index(State.PENDING)}")
    Submission.objects.filter(pk=pending.pk).update(requests=1)
    Decision.objects.create(submission=pending, staff=people["staff"], approves=True)
    Note.objects.create(submission=pending, staff=people["staff"], text="Qxz")
    return people


def pages(people: dict[str, User], language: str) -> Iterator[tuple[str, str]]:
    """Each page by a name that tells it from the others."""
    cache.clear()  # limits of rates
    with translation.override(language):
        for user in people.values():
            User.objects.filter(pk=user.pk).update(language=language)
        yield from _public(Client())
        yield from _forms(Client(), people)
        anna, staff = (_signed_in(people[name]) for name in ("anna", "staff"))
        yield from _own(anna, "anna")
        for name in ("nobody", "waiting"):
            yield from _own(_signed_in(people[name]), name)
        yield from _staff(staff)
        yield from _acts(signed_in(people["head"]), people)
        for one in Submission.objects.filter(model_name__startswith="Model"):
            yield f"result {one.state}", _text(anna, reverse("result", args=[one.pk]))
            yield f"staff {one.state}", _text(staff, reverse("staff_submission", args=[one.pk]))
        yield from _uploads(_signed_in(people["bela"]))
        yield from _posts(anna, staff, _signed_in(people["nobody"]))


def _text(client: Client, address: str, given: dict[str, object] | None = None, **more: object) -> str:
    answer = client.get(address, **more) if given is None else client.post(address, given, follow=True, **more)
    assert answer.status_code < 500, address
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()


def _signed_in(user: User) -> Client:
    """A browser in which a user has signed in with the password just now, as some pages ask for."""
    client = Client()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    return client


def _public(client: Client) -> Iterator[tuple[str, str]]:
    for name in ("start", "tasks", "compare", "faq", "imprint", "privacy", "api", "feed", "first_admin", "none"):
        if name == "none":
            yield name, _text(client, reverse("start") + "no/such/page/")
        elif name == "first_admin":
            yield name, _text(client, reverse(name, args=[first_admin.link_text()]))
        else:
            yield name, _text(client, reverse(name))
    for task, _board in boards().items():
        yield f"task {task}", _text(client, reverse("task", args=[task]))
        yield f"board {task}", _text(client, reverse("board", args=[task]))
    for name in {board.family.name for board in boards().values()}:
        yield f"family {name}", _text(client, reverse("family", args=[name]))
    yield "old season", _text(client, reverse("board", args=[OTHER]) + "?season=1")
    yield "no row", _text(client, reverse("board", args=[TASK]) + "?size=unknown&openness=closed&setting=human")
    yield "graph", _text(client, reverse("graph", args=[TASK, "light", "wide"]))
    rows = Submission.objects.filter(state=State.PUBLIC, board__in=(TASK, ANSWERS_PUBLIC), model_name__contains="-")
    for row in rows:
        yield f"row {row.board} {row.model_name}", _text(client, reverse("row", args=[row.pk]))
        yield f"model {row.board} {row.model_name}", _text(client, reverse("model", args=[row.pk]))
    first, *_, last = rows.filter(board=TASK)
    yield "two models", _text(client, f"{reverse('compare')}?first={first.pk}&second={last.pk}")


def _forms(client: Client, people: dict[str, User]) -> Iterator[tuple[str, str]]:
    """The forms of accounts, empty and filled in wrongly."""
    for name in ("login", "signup", "reset_password", "reset_password_done", "email_verification_sent"):
        yield name, _text(client, reverse(f"account_{name}"))
    wrong = {"email": "anna@example", "login": "anna@example.org", "password": "wrong", "password1": "a1"}
    for name in ("login", "signup", "reset_password"):
        yield f"{name}, filled in", _text(client, reverse(f"account_{name}"), wrong | {"password2": "b"})
    new = {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    yield "signed up", _text(client, reverse("account_signup"), new)
    User.objects.filter(email="new@example.org").delete()
    yield "reset", _text(Client(), reverse("account_reset_password"), {"email": "anna@example.org"})
    yield "invited", _text(signed_in(people["nobody"]), reverse("join", args=[teams.invitation(people["anna"].team)]))


def _own(client: Client, who: str) -> Iterator[tuple[str, str]]:
    names = ("submit_files", "mine", "account", "delete_account", "team", "tokens", "mfa_index", "account_email")
    for name in names:
        yield f"{name} of {who}", _text(client, reverse(name))
    for task in (TASK, OTHER, ANSWERS_PUBLIC, JUDGED):
        yield f"submit {task} of {who}", _text(client, reverse("submit", args=[task]))
    for name in ("account_change_password", "account_reauthenticate", "mfa_activate_totp", "mfa_list_webauthn"):
        yield f"{name} of {who}", _text(client, reverse(name), follow=True)
    yield f"sign-out of {who}", _text(client, reverse("account_logout"))


def _staff(client: Client) -> Iterator[tuple[str, str]]:
    yield "signals", _text(client, reverse("signals"))
    for state in State:
        yield f"queue {state}", _text(client, reverse("staff") + f"?state={state}")


def _acts(head: Client, people: dict[str, User]) -> Iterator[tuple[str, str]]:
    """The admin pages, the form of each act, empty and sent, and what staff are told of one that is not possible."""
    yield "admin", _text(head, reverse("admin:index"))
    for kind, row, acts in (
        ("accounts_team", people["anna"].team, TEAM_ACTS),
        ("accounts_user", people["anna"], ACCOUNT_ACTS),
        ("submissions_phase", Phase.objects.get(), PHASE_ACTS),
    ):
        place = reverse(f"admin:{kind}_changelist")
        yield f"admin {kind}s", _text(head, place)
        yield f"admin {kind}", _text(head, reverse(f"admin:{kind}_change", args=[quote(row.pk)]))
        for act in acts:
            chosen = {"action": act.word, "_selected_action": row.pk}
            yield f"{act.word} {kind}", _text(head, place, chosen)
            yield f"{act.word} {kind}, without reason", _text(head, place, chosen | {"apply": "1"})
    withdrawn = Submission.objects.get(state=State.WITHDRAWN)
    stale = {"reason": "Qxz", "version": "0"}
    yield "stale", _text(head, reverse("put_back", args=[withdrawn.pk]), stale)
    yield "correct card", _text(head, reverse("correct_card", args=[withdrawn.pk]))


def _uploads(bela: Client) -> Iterator[tuple[str, str]]:
    """What the forms for files answer."""
    address = reverse("submit", args=[TASK])
    yield "empty upload", _text(bela, address, {})
    yield "broken card", _text(bela, address, {"size": "-1", "link": "ftp", "model_name": "\u202e", "setting": "x"})
    rows = [*predictions("hucola", 0.8)[:-1], {"id": "x", "label": "7"}]
    yield "faulty upload", _text(bela, address, CARD | {"upload": upload(rows)})
    yield "no archive", _text(bela, reverse("submit_files"), CARD | {"upload": upload(rows, "what.json")})


def _posts(anna: Client, staff: Client, nobody: Client) -> Iterator[tuple[str, str]]:
    """What the other forms answer."""
    yield "no team name", _text(nobody, reverse("team"), {"name": "\u202e"})
    yield "invitation", _text(anna, reverse("invite"), {})
    Token.objects.all().delete()
    yield "token", _text(anna, reverse("tokens"), {"name": "cluster"})
    yield "wrong passwords", _text(anna, reverse("account_change_password"), {"password1": "x", "password2": "y"})
    pending = Submission.objects.get(state=State.PENDING)
    yield (
        "no reason",
        _text(staff, reverse("decide", args=[pending.pk]), {"decision": "refuse", "number": "1", "version": "1"}),
    )
    yield "not deletable", _text(staff, reverse("delete_account"), {})


def names() -> set[str]:
    """What is called the same in every language: boards, their metrics, families, models and teams."""
    found = {"Puli kutatók", "Új csapat", *Submission.objects.values_list("model_name", flat=True)}
    for board in boards().values():
        found |= {board.task, board.title, board.family.title, board.download.licence}
        found |= {*board.spec.declared.headline.values()}
        found |= {texts["en"] for texts in board.columns.values() if texts["en"] == texts["hu"]}
    return found | set(Team.objects.values_list("name", flat=True))


def mails(people: dict[str, User], language: str) -> Iterator[tuple[str, str]]:
    """Each mail about a submission in each of its states, and about a team."""
    User.objects.update(language=language)
    Mail.objects.all().delete()
    for one in Submission.objects.select_related("user").filter(model_name__startswith="Model"):
        for tell in (tell_submitter, tell_staff):
            tell(one, "It was scored again, and its result has changed.")
            yield f"{tell.__name__} {one.state}", _last_mail()
    people["anna"].team.refresh_from_db()
    for tell in (tell_admitted, tell_waiting_team):
        tell(people["anna"].team)
        yield tell.__name__, _last_mail()
    last = Mail.objects.latest("pk").pk
    cache.clear()  # limits of rates
    with translation.override(language):
        for address in ("anna@example.org", "unknown@example.org"):
            _text(Client(), reverse("account_reset_password"), {"email": address})
            new = {"email": address, "password1": PASSWORD, "password2": PASSWORD}
            _text(Client(), reverse("account_signup"), new)
        User.objects.filter(email="unknown@example.org").delete()
    for place, mail in enumerate(Mail.objects.filter(pk__gt=last).order_by("pk")):
        yield f"mail {place} of accounts", f"{mail.subject}\n{mail.body}"


def _last_mail() -> str:
    mail = Mail.objects.order_by("-pk")[0]
    return f"{mail.subject}\n{mail.body}"


def api_answers(language: str) -> Iterator[tuple[str, str]]:
    """What the API says to errors."""
    client = Client(headers={"accept-language": language})
    for path in ("nothing", "submissions", "boards/nothing", "boards/hulu_hucola?season=x"):
        yield f"API {path}", _text(client, f"/api/v1/{path}")
