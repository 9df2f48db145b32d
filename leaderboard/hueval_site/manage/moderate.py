"""Acts of moderators, and lists of what they are about, from the command line, where no member of staff is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from hueval_metrics.api.boards import one_line
from hueval_metrics.errors import InputError
from hueval_site.manage.django_setup import set_up


def list_teams() -> None:
    """Print a line a team: state, members, submissions."""
    set_up()
    from django.db.models import Count

    from hueval_site.accounts.models import Team

    counts = {"n": Count("submissions", distinct=True)}
    for team in Team.objects.annotate(**counts).prefetch_related("members").order_by("created"):
        state = "suspended" if team.is_suspended else "admitted" if team.is_admitted else "not admitted"
        members = " ".join(one_line(user.email, 254) for user in team.members.all())
        print(f"{one_line(team.name, 80)}\t{state}\t{team.n} submissions\t{members}")


def list_accounts() -> None:
    """Print a line an account: state, role, team, names of tokens."""
    set_up()
    from hueval_site.accounts.models import User

    for user in User.objects.select_related("team").prefetch_related("tokens").order_by("date_joined"):
        state = "active" if user.is_active else "suspended or deleted"
        role = "administrator" if user.is_superuser else "staff" if user.is_staff else "member"
        tokens = ", ".join(one_line(token.name, 80) for token in user.tokens.all())
        team = one_line(user.team.name, 80) if user.team else "no team"
        print(f"{one_line(user.email, 254)}\t{state}\t{role}\t{team}\ttokens: {tokens or 'none'}")


def list_phases() -> None:
    """Print a line a phase with dates: state, dates, and those that differ in `site.yaml`."""
    set_up()
    from hueval_site.phases import written
    from hueval_site.submissions.begun import DATES, moved_dates
    from hueval_site.submissions.models import Phase
    from hueval_site.submissions.phases import standing

    for phase in filter(lambda one: one.is_dated, Phase.objects.order_by("board")):
        dates = "\t".join(f"{name} {written(getattr(phase, name))}" for name in DATES)
        moved = moved_dates(phase)
        print(f"{phase}\t{standing(phase)}\t{dates}" + (f"\tin site.yaml: {moved}" if moved else ""))


def moderate(kind: str, word: str, name: str, value: str | None, reason: str) -> None:
    """Do an act about a team, an account or the phase of a board.

    Args:
        kind: `team`, `user` or `board`.
        word: of the act.
        name: of the team, the address of the account, whatever the case of its letters, or the task of the board.
        value: what the act asks for; None for nothing.
        reason: why.

    Raises:
        InputError: there is no such team, account or phase, or the act is not possible.
    """
    set_up()
    from django.utils import translation

    from hueval_site.accounts.models import User
    from hueval_site.accounts.teams import named
    from hueval_site.submissions.models import Phase
    from hueval_site.submissions.moderation import ACCOUNT_ACTS, PHASE_ACTS, TEAM_ACTS

    translation.activate("en")  # as all that the command line prints; a mail is in its reader's language
    acts, found, what = {
        "team": lambda: (TEAM_ACTS, named(name), "team of this name"),
        "user": lambda: (ACCOUNT_ACTS, User.objects.filter(email__iexact=name).first(), "account of this address"),
        "board": lambda: (
            PHASE_ACTS,
            Phase.objects.filter(pk=name).first(),
            "board of this task has phase dates",
        ),
    }[kind]()
    if found is None:
        raise InputError(f"{one_line(name, 80)}: no {what}. See: hueval site {kind} list")
    _do(acts, word, found, value, reason)


def moderate_row(word: str, key: UUID, fields: Sequence[str], reason: str) -> None:
    """Withdraw a row, put it back, or correct its card.

    Args:
        word: what to do.
        key: of the submission, as it stands in the address of its page.
        fields: `name=value` of the model card, where that is corrected.
        reason: why.

    Raises:
        InputError: there is no such submission, a field is none or has a value that is not allowed, or the act is not
            possible.
    """
    set_up()
    from django.utils import translation

    from hueval_site.submissions.card import CARD, CardForm
    from hueval_site.submissions.models import Submission
    from hueval_site.submissions.moderation import ROW_ACTS, correct_card

    translation.activate("en")
    row = Submission.objects.filter(pk=key).first()
    if row is None:
        raise InputError(f"{key}: no submission. Its page's address has its id")
    if word != "card":
        _do(ROW_ACTS, word, row, None, reason)
        return
    given = dict(text.partition("=")[::2] for text in fields)
    if not given or (unknown := set(given) - set(CARD)):
        wrong = f"{', '.join(sorted(unknown))}: no field. " if given else ""
        raise InputError(f"{wrong}Name what to correct, such as model_name=NAME, of: {', '.join(CARD)}")
    form = CardForm({name: getattr(row, name) for name in CARD} | given, instance=row, may_mark=True)
    if not form.is_valid():
        name, errors = next(iter(form.errors.items()))
        raise InputError(f"{name}: {errors[0]}")
    _run(correct_card, row, reason, form.card)


def _do(acts: Sequence[Any], word: str, row: Any, value: str | None, reason: str) -> None:
    act = next(one for one in acts if one.word == word)
    if bool(act.asks) != (value is not None):
        raise InputError(f"{word} takes {f'one value: {act.asks}' if act.asks else 'no value'}")
    _run(act.run, row, reason, *((value,) if act.asks else ()), is_free=act.is_free)


def _run(act: Callable[..., None], row: Any, reason: str, *given: object, is_free: bool = False) -> None:
    from hueval_site.submissions.versions import ActError

    if not reason.strip() and not is_free:
        raise InputError("--reason: say why. It is mailed to those whom it is about, and kept in the audit log")
    try:
        act(row, None, reason, *given)
    except ActError as error:
        raise InputError(f"{one_line(row, 120)}: {error}") from None
    print(f"{one_line(row, 120)}: done")
