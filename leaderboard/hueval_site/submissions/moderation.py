"""What moderators do besides decisions about requests (publish.py): one function an act.

Each needs a reason, which the audit log keeps and which is mailed to those whom the act is about. Who acts is a member
of staff, or None for whoever runs the site at its command line. Each raises `ActError` where there is no reason, and
where it is not possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from auditlog.context import set_actor
from auditlog.models import LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from hueval_site.accounts import teams
from hueval_site.accounts.models import Team, User
from hueval_site.accounts.names import team_name, tidy
from hueval_site.boards import Board, every_board
from hueval_site.phases import PhaseState, written
from hueval_site.submissions import publish
from hueval_site.submissions.begun import has_begun, moved_dates, take_dates
from hueval_site.submissions.mails import tell, tell_admitted
from hueval_site.submissions.models import Phase, Season, State, Submission
from hueval_site.submissions.personal import DELETED, end_sessions
from hueval_site.submissions.phases import database_now, standing
from hueval_site.submissions.states import SEEN, changed, move
from hueval_site.submissions.versions import ActError, Row, locked


@contextmanager
def _act(row: Row, word: str, by: User | None, reason: str, *, is_free: bool = False) -> Iterator[Row]:
    """Inside, the row is locked, and the act is in the audit log; a free one needs no reason."""
    reason = reason.strip()
    if not reason and not is_free:
        raise ActError(_("Say why: the reason is mailed to those whom it is about."))
    with transaction.atomic(), set_actor(by):
        found = locked(row)
        # Its actor is named here: `set_actor` forgets it where another one begins and ends inside.
        LogEntry.objects.log_create(
            found,
            force_log=True,
            action=LogEntry.Action.UPDATE,
            actor=by,
            actor_email=by and by.email,
            additional_data={"act": word, "reason": reason},
        )
        yield found


def withdraw(row: Submission, by: User | None, reason: str) -> None:
    """Withdraw a row, in any state in which its team could."""
    with _act(row, "withdraw", by, reason) as found:
        publish.withdraw(found, by, reason.strip())


def may_put_back(row: Submission) -> bool:
    """Whether a row was public until staff withdrew it: a team gives no reason, and what it withdraws stays so."""
    return row.state == State.WITHDRAWN and bool(row.published and row.shown and row.reason)


def put_back(row: Submission, by: User | None, reason: str) -> None:
    """Put back a row that staff withdrew: public as before, or superseded where its model has a newer one."""
    with _act(row, "put-back", by, reason) as found:
        _not_own(found, by)
        if not may_put_back(found):
            raise ActError(_("Only a public row that staff withdrew can be put back."))
        if board := every_board().get(found.board):
            publish.check_phase(board)
        to = State.SUPERSEDED if publish.public_rows_like(found).exists() else State.PUBLIC
        move(found, to, by=by, reason=reason.strip(), published=found.published)


def correct_card(row: Submission, by: User | None, reason: str, card: Mapping[str, Any]) -> None:
    """Change fields of a model card, in any state, to values that `CardForm` has checked."""
    with _act(row, "card", by, reason) as found:
        _not_own(found, by)
        for name, value in card.items():
            setattr(found, name, value)
        found.save(update_fields=list(card))
        if found.state in SEEN:
            changed(found.season_id)
        text = gettext_noop("Staff corrected the model card of %(model)s.")
        tell(found.team.members.all(), text, reason, model=found.model_name)


def admit(team: Team, by: User | None, reason: str = "") -> None:
    """Let a team submit."""
    with _act(team, "admit", by, reason, is_free=True) as found:
        _set(found, is_admitted=True)
        tell_admitted(found)


def _team_act(word: str, text: str, **fields: object) -> Callable[[Team, User | None, str], None]:
    """An act that sets fields of a team."""

    def act(team: Team, by: User | None, reason: str) -> None:
        with _act(team, word, by, reason) as found:
            _set(found, **fields)
            _tell_team(found, text, reason)

    return act


unadmit = _team_act(  # it is not scored on hidden labels any more; its public rows stay
    "unadmit",
    gettext_noop("The admission of the team %(team)s was taken back: its files are checked, and not scored."),
    is_admitted=False,
)
suspend_team = _team_act(  # it cannot submit, ask for publication, invite or be left; its public rows stay
    "suspend", gettext_noop("The team %(team)s has been suspended."), is_suspended=True
)
resume_team = _team_act("resume", gettext_noop("The team %(team)s is not suspended any more."), is_suspended=False)


def rename(team: Team, by: User | None, reason: str, name: str) -> None:
    """Give a team another name, on its public rows too."""
    name = tidy(name)
    with _act(team, "rename", by, reason) as found:
        try:
            team_name(name)
        except ValidationError as error:
            raise ActError(error.messages[0]) from None
        other = teams.named(name)
        if len(name) > Team._meta.get_field("name").max_length or (other is not None and other.pk != found.pk):
            raise ActError(_("The name is too long, or another team has it."))
        before = found.name
        _set(found, name=name)
        for season in Season.objects.filter(submissions__team=found, submissions__state__in=SEEN).distinct():
            changed(season.pk)
        _tell_team(found, gettext_noop("The team %(before)s is called %(team)s from now on."), reason, before=before)


def hand_over(team: Team, by: User | None, reason: str, member: str) -> None:
    """Make another member the owner of a team, by the e-mail address."""
    with _act(team, "owner", by, reason) as found:
        owner = found.members.filter(email__iexact=member, is_active=True).first()
        if owner is None:
            raise ActError(_("The team has no active member of this address."))
        _set(found, owner=owner)
        _tell_team(found, gettext_noop("The team %(team)s has another owner: %(owner)s."), reason, owner=owner.email)


def call_back(team: Team, by: User | None, reason: str) -> None:
    """Make the invitations void that a team has sent."""
    with _act(team, "call-back", by, reason) as found:
        teams.call_back(found)
        _tell_team(found, gettext_noop("The invitations of the team %(team)s do not work any more."), reason)


def suspend_account(user: User, by: User | None, reason: str) -> None:
    """Let a person sign in no more, neither by pages nor by a token."""
    with _act(user, "suspend", by, reason) as found:
        if found.is_last_administrator():
            raise ActError(_("It is the only administrator. Make another one first."))
        tell([found], gettext_noop("Your account %(account)s has been suspended."), reason, account=found.email)
        _set(found, is_active=False)
        end_sessions(found)


def resume_account(user: User, by: User | None, reason: str) -> None:
    """End the suspension of an account."""
    with _act(user, "resume", by, reason) as found:
        if found.email.endswith(DELETED):
            raise ActError(_("Its owner has deleted the account."))
        _set(found, is_active=True)
        tell([found], gettext_noop("Your account %(account)s is not suspended any more."), reason, account=found.email)


def remove_member(user: User, by: User | None, reason: str) -> None:
    """Take a person out of a team, also of one that has submitted."""
    with _act(user, "remove", by, reason) as found:
        if found.team is None:
            raise ActError(_("It has no team."))
        team, others = found.team, list(found.team.members.all())
        teams.part(found)
        text = gettext_noop("%(account)s is no longer a member of the team %(team)s.")
        tell(others, text, reason, account=found.email, team=team.name)


def revoke_token(user: User, by: User | None, reason: str, token: str) -> None:
    """Revoke the tokens of a person that have a name."""
    with _act(user, "revoke-token", by, reason) as found:
        if not found.tokens.filter(name=token).delete()[0]:
            raise ActError(_("There is no token of this name."))
        text = gettext_noop("The token %(token)s of your account %(account)s does not work any more.")
        tell([found], text, reason, token=token, account=found.email)


def reset_second_factor(user: User, by: User | None, reason: str) -> None:
    """Remove the second factor of a person who has lost it, and end the sessions."""
    with _act(user, "reset-mfa", by, reason) as found:
        if not Authenticator.objects.filter(user=found).delete()[0]:
            raise ActError(_("It has no second factor."))
        end_sessions(found)
        text = gettext_noop("The second factor of your account %(account)s was removed. Set up another one.")
        tell([found], text, reason, account=found.email)


def open_results(phase: Phase, by: User | None, reason: str) -> None:
    """Let results of a phase that has closed become public; whoever has one that is not is told."""
    with _act(phase, "open-results", by, reason) as found:
        board = _board_of(found)
        if board.is_practice:
            raise ActError(_("Results of practice stay with their team."))
        if standing(found) != PhaseState.CLOSED:
            raise ActError(_("There is nothing to open: the phase has not closed, or its results are open already."))
        _set(found, opened=database_now(), opened_by=by)
        changed(found.season_id)
        text = gettext_noop("The results of the phase of %(board)s are open: ask for the publication of yours.")
        waiting = (State.PRIVATE, State.PENDING, State.REFUSED)
        tell(_submitters(found, waiting), text, reason, board=board.title)


def accept_dates(phase: Phase, by: User | None, reason: str) -> None:
    """Let the dates of `site.yaml` count for a phase that has begun; the teams that have submitted are told."""
    with _act(phase, "accept-dates", by, reason) as found:
        board = _board_of(found)
        if not (has_begun(found) and moved_dates(found)):
            raise ActError(_("There is nothing to accept: site.yaml moves no date of a phase that has begun."))
        take_dates(found, board)
        text = gettext_noop(
            "The phase of %(board)s has other dates (UTC). Opens: %(opens)s; takes submissions until: %(freezes)s; "
            "closes: %(closes)s."
        )
        dates = {"opens": found.opens, "freezes": found.freezes or found.closes, "closes": found.closes}
        values = {name: written(time) if time else "–" for name, time in dates.items()}
        tell(_submitters(found, State), text, reason, board=board.title, **values)


def _board_of(phase: Phase) -> Board:
    if phase.board not in every_board():
        raise ActError(_("This site has no board of this task any more."))
    return every_board()[phase.board]


def _submitters(phase: Phase, states: Iterable[State]) -> QuerySet[User]:
    """The members of the teams with a submission of a phase in one of these states."""
    of_phase = Submission.objects.filter(board=phase.board, season=phase.season_id, state__in=list(states))
    return User.objects.filter(team__in=of_phase.values("team"))


def _not_own(row: Submission, by: User | None) -> None:
    if by is not None and by.team_id == row.team_id:
        raise ActError(_("You are a member of its team. Somebody else must decide."))


def _set(row: Model, **fields: object) -> None:
    if all(getattr(row, name) == value for name, value in fields.items()):
        raise ActError(_("It is so already."))
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=list(fields))


def _tell_team(team: Team, text: str, reason: str, **values: str) -> None:
    tell(team.members.all(), text, reason, team=team.name, **values)


@dataclass(frozen=True)
class Act:
    """An act about a team, an account or a phase, as the command line and the admin pages offer it.

    Attributes:
        word: what the command line calls it.
        label: what the admin pages call it.
        run: the function: row, by, reason and, where it asks for one, a value.
        asks: what the value is; empty for none.
        choices: the values that a row allows; None for any text.
        is_free: whether it needs no reason.
    """

    word: str
    label: str
    run: Callable[..., None]
    asks: str = ""
    choices: Callable[[Any], list[str]] | None = None
    is_free: bool = False


def _addresses(team: Team) -> list[str]:
    return list(team.members.filter(is_active=True).order_by("email").values_list("email", flat=True))


def _tokens(user: User) -> list[str]:
    return sorted(set(user.tokens.values_list("name", flat=True)))


TEAM_ACTS = (
    Act("admit", gettext_lazy("Admit"), admit, is_free=True),
    Act("unadmit", gettext_lazy("Take the admission back"), unadmit),
    Act("suspend", gettext_lazy("Suspend"), suspend_team),
    Act("resume", gettext_lazy("End the suspension"), resume_team),
    Act("rename", gettext_lazy("Rename"), rename, gettext_lazy("New name")),
    Act("owner", gettext_lazy("Hand over the ownership"), hand_over, gettext_lazy("New owner"), _addresses),
    Act("call-back", gettext_lazy("Call back the invitations"), call_back),
)
ACCOUNT_ACTS = (
    Act("suspend", gettext_lazy("Suspend"), suspend_account),
    Act("resume", gettext_lazy("End the suspension"), resume_account),
    Act("remove", gettext_lazy("Remove from the team"), remove_member),
    Act("revoke-token", gettext_lazy("Revoke a token"), revoke_token, gettext_lazy("Name of the token"), _tokens),
    Act("reset-mfa", gettext_lazy("Remove the second factor"), reset_second_factor),
)
PHASE_ACTS = (
    Act("open-results", gettext_lazy("Open the results"), open_results),
    Act("accept-dates", gettext_lazy("Accept the dates of site.yaml"), accept_dates),
)
ROW_ACTS = (
    Act("withdraw", gettext_lazy("Withdraw"), withdraw),
    Act("put-back", gettext_lazy("Put it back"), put_back),
)
