"""`/metrics`: the state of a site as numbers for Prometheus, for whoever has the token of HUEVAL_SITE_METRICS_TOKEN.

All is read from the database when it is asked for, and no label names a team, a person, a model or a task. That is why
this is not `prometheus_client`, whose metrics count in the memory of one process: of it five lines would be used.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from datetime import date

from django.conf import settings
from django.db.models import Count, Min, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_safe

from hueval_site.boards import every_board
from hueval_site.submissions.alive import last_beat
from hueval_site.submissions.models import JudgeMonth, Mail, State, Submission

TYPE = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[str, float]  # a label in braces, or nothing; and its number


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics in the text format 0.0.4; 401 without the token, 404 where the site has none."""
    token = settings.CONFIG.metrics_token.get_secret_value()
    if not token:
        raise Http404
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {token}"):
        return HttpResponse("the token is wrong\n", "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
    lines = []
    for name, text, samples in _gauges():
        lines += [f"# HELP hueval_{name} {text}", f"# TYPE hueval_{name} gauge"]
        lines += [f"hueval_{name}{label} {float(value)!r}" for label, value in samples]
    return HttpResponse("\n".join([*lines, ""]), TYPE)


def _gauges() -> Iterator[tuple[str, str, list[Sample]]]:
    """Name, description and numbers of each metric."""
    now, by_state = timezone.now(), Submission.objects.values_list("state").annotate(n=Count("pk"))
    counts = dict.fromkeys(State, 0) | dict(by_state)
    yield "submissions", "Submissions by state.", [(f'{{state="{state}"}}', n) for state, n in counts.items()]
    waiting = Submission.objects.filter(state=State.QUEUED, team__is_suspended=False)
    queue = waiting.aggregate(n=Count("pk"), oldest=Min("queued"))
    yield "queue_length", "Submissions that wait to be scored.", [("", queue["n"])]
    age = max(0.0, (now - (queue["oldest"] or now)).total_seconds())
    yield "queue_oldest_seconds", "How long the oldest of them has waited.", [("", age)]
    again = Submission.objects.filter(rescore=True).count()
    yield "rescore_length", "Scored submissions that wait to be scored again.", [("", again)]
    judged = Submission.objects.filter(board__in=[one.task for one in every_board().values() if one.is_judged])
    is_open = Q(state__in=(State.QUEUED, State.SCORING))
    n = judged.aggregate(asked=Sum("n_rows", filter=is_open), kept=Sum("n_rows", filter=Q(exact__isnull=False)))
    yield "verdicts_asked", "Responses of queued submissions that need a verdict.", [("", n["asked"] or 0)]
    yield "verdicts_kept", "Responses of scored submissions that have a verdict.", [("", n["kept"] or 0)]
    month: date = now.date().replace(day=1)
    spent = JudgeMonth.objects.filter(month=month).aggregate(usd=Sum("usd"))["usd"] or 0
    yield "judge_month_usd", "What the judge has cost this month, with what is reserved.", [("", spent)]
    mails = Mail.objects.filter(sent=None)
    yield "mails_waiting", "Mails that are to be sent.", [("", mails.count())]
    failing = mails.filter(attempts__gte=3).count()
    yield "mails_failing", "Mails that could not be sent three times and more.", [("", failing)]
    free = shutil.disk_usage(settings.CONFIG.dir).free
    yield "disk_free_bytes", "Bytes that are free on the disk of the site's folder.", [("", free)]
    beat = last_beat()
    age_of_beat = [] if beat is None else [("", max(0.0, time.time() - beat))]
    yield "worker_beat_age_seconds", "Since a worker last said that it was alive; absent where none has.", age_of_beat
