"""A submission from upload to result, through the functions that pages, API and worker call."""

from __future__ import annotations

import json

import pytest
from django.core.files.base import ContentFile

from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.receive import check, store
from tests.site.labelled import predictions

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_first_score_stands_on_a_grid_of_one_standard_error():
    team = Team.objects.create(name="Team", is_admitted=True)
    user = User.objects.create_user("a@example.org", team=team)
    content = json.dumps(predictions("hucola", 0.8)).encode()
    card = {"model_name": "model", "contamination": "none known"}
    found = check(store(user, boards()["hulu_hucola"], ContentFile(content, name="HuCOLA.json"), card))
    assert found.state == "queued"
    assert score_waiting() == 1
    found.refresh_from_db()
    assert found.state == "private"
    assert found.told["kind"] == "first"
    assert found.told["score"] != found.exact["mcc"]
    assert found.told["score"] / found.told["step"] == pytest.approx(round(found.told["score"] / found.told["step"]))
