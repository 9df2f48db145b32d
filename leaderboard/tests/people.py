"""Users, their browsers and their files, for tests of pages."""

from __future__ import annotations

import json

from allauth.account.models import EmailAddress
from django.core.files.base import ContentFile
from django.test import Client

from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.submissions.models import Submission
from hueval_site.submissions.receive import check, store
from leaderboard.tests.labelled import predictions

PASSWORD = "kilenc-zold-alma"
CARD = {"model_name": "Puli", "openness": "open", "setting": "zero-shot", "contamination": "None known."}


def member(address: str = "anna@example.org", team: str | None = "Team", **fields: object) -> User:
    """A member of an admitted team, whose address is verified."""
    its_team = team and Team.objects.get_or_create(name=team, defaults={"is_admitted": True})[0]
    user = User.objects.create_user(address, PASSWORD, team=its_team or None, language="en", **fields)
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)
    return user


def signed_in(user: User) -> Client:
    """A browser in which a user is signed in."""
    client = Client()
    client.force_login(user)
    return client


def upload(rows: object, name: str = "cola_test.json") -> ContentFile:
    """A file as a form sends it."""
    return ContentFile(json.dumps(rows, ensure_ascii=False).encode(), name=name)


def submitted(user: User, accuracy: float = 0.8, seed: int = 0, model: str = "Puli") -> Submission:
    """A submission that waits to be scored."""
    content = upload(predictions("hucola", accuracy, seed))
    return check(store(user, boards()["hulu_hucola"], content, CARD | {"model_name": model}))
