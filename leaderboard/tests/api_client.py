"""Members of teams, and their requests to the API."""

from __future__ import annotations

import json
import uuid

from django.core.files.uploadedfile import SimpleUploadedFile

from hueval_site.accounts.models import Token
from leaderboard.tests import people
from leaderboard.tests.labelled import predictions

SUBMISSIONS = "/api/v1/submissions"
CARD = {"model_name": "model", "contamination": "none known"}


def member(team="Team", **fields):
    """A user of a team, and the headers of his requests."""
    user = people.member(f"{uuid.uuid4()}@example.org", team, **fields)
    return user, {"Authorization": f"Bearer {Token.create(user, 'test')[1]}"}


def upload(content=None, name="HuCOLA.json"):
    content = json.dumps(predictions("hucola", 0.8)) if content is None else content
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def post(client, headers, *, key=None, card=CARD, file=None, **parts):
    card = card if isinstance(card, str) else json.dumps(card)
    parts = {"task": "hulu_hucola", "card": card, "file": file or upload()} | parts
    parts = {name: value for name, value in parts.items() if value is not None}
    return client.post(SUBMISSIONS, parts, headers=headers | ({"Idempotency-Key": key} if key else {}))


def act(client, address, headers, body=""):
    return client.post(address, body, content_type="application/json", headers=headers)
