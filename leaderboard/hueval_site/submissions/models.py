"""Submissions and what happens to them."""

from __future__ import annotations

import uuid
from enum import StrEnum
from pathlib import PurePosixPath

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from hueval_site.accounts.models import Team
from hueval_site.accounts.names import plain_name, plain_text
from hueval_site.boards import every_board
from hueval_site.disclosure import in_words


class State(StrEnum):
    """The states of a submission; `states.NEXT` says which follows which."""

    UPLOADED = "uploaded"
    FAULTY = "faulty"
    CHECKED = "checked"
    QUEUED = "queued"
    SCORING = "scoring"
    FAILED = "failed"
    PRIVATE = "private"
    PENDING = "pending"
    PUBLIC = "public"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


STATES = {
    State.UPLOADED: _("uploaded"),
    State.FAULTY: _("has faults"),
    State.CHECKED: _("checked"),
    State.QUEUED: _("queued"),
    State.SCORING: _("being scored"),
    State.FAILED: _("could not be scored"),
    State.PRIVATE: _("scored, private"),
    State.PENDING: _("awaits approval"),
    State.PUBLIC: _("public"),
    State.REFUSED: _("refused"),
    State.WITHDRAWN: _("withdrawn"),
    State.SUPERSEDED: _("superseded"),
}
OPENNESS = {"open": _("open weights"), "closed": _("closed")}
SETTINGS = {
    "zero-shot": _("zero-shot"),
    "few-shot": _("few-shot"),
    "fine-tuned": _("fine-tuned"),
    "baseline": _("simple baseline"),
    "human": _("people"),
}
UNRANKED = ("baseline", "human")  # settings whose rows are marked on the boards and have no rank


class Season(models.Model):
    """A span in which a board's rows are comparable, and stay: same labels, judge, rubric and version of the task."""

    board = models.CharField(max_length=80)
    number = models.PositiveIntegerField(default=1)
    opened = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True, blank=True)
    labels_hash = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the rows with their labels")
    fixed = models.JSONField(default=dict, help_text="judge, rubric, version of the task")
    version = models.PositiveBigIntegerField(default=0, help_text="counts the changes of its public rows")
    by_hand = models.JSONField(null=True, help_text="rows of `hueval site import`: [{model, source, scores}]")

    class Meta:
        """One season of a number, one open season a board."""

        constraints = (
            models.UniqueConstraint(fields=("board", "number"), name="season_number"),
            models.UniqueConstraint(fields=("board",), condition=models.Q(closed__isnull=True), name="one_open_season"),
        )

    def __str__(self) -> str:
        return f"{self.board} {self.number}"


class Phase(models.Model):
    """The phase of a board: its dates that are in force, the season that it keeps, and who opened its results."""

    board = models.CharField(_("Task"), max_length=80, primary_key=True)
    season = models.OneToOneField(Season, models.PROTECT, related_name="phase")
    opens = models.DateTimeField(_("Opens"), null=True)
    freezes = models.DateTimeField(_("Takes submissions until"), null=True)
    closes = models.DateTimeField(_("Closes"), null=True)
    opened = models.DateTimeField(_("Results opened"), null=True)  # those of an earlier phase, if before `closes`
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("Opened by")
    )

    class Meta:
        """Its names on the admin pages."""

        verbose_name = _("phase")
        verbose_name_plural = _("Phases")

    def __str__(self) -> str:
        return self.board

    @property
    def is_dated(self) -> bool:
        """Whether it has any date."""
        return any(date is not None for date in (self.opens, self.freezes, self.closes))


def _place(submission: Submission, name: str) -> str:
    """Where an upload lies: a name that says nothing, so that the user's own is never a path."""
    return f"{submission.id}{PurePosixPath(name).suffix[:8]}"


class Submission(models.Model):
    """One file for one board, the model that made it, and what became of it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, related_name="submissions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="submissions")
    board = models.CharField(max_length=80)
    season = models.ForeignKey(Season, models.PROTECT, related_name="submissions")
    state = models.CharField(max_length=12, choices=list(STATES.items()), default=State.UPLOADED)
    reason = models.CharField(max_length=500, blank=True)  # of a failure or a refusal, for the submitter

    file = models.FileField(upload_to=_place, max_length=80)
    name = models.CharField(max_length=200)  # the file's, as it was uploaded
    digest = models.CharField(max_length=64)  # SHA-256 of the file
    # The client's own name of the upload, so that one sent again after a broken connection is not a second submission.
    request_key = models.CharField(max_length=80, null=True, editable=False)
    n_rows = models.PositiveIntegerField(default=0)
    faults = models.JSONField(default=list)  # [{"row", "kind": {language: text}, "text": {language: text}}]
    n_faults = models.PositiveIntegerField(default=0)

    model_name = models.CharField(_("name of the model"), max_length=120, validators=[plain_name])
    size = models.FloatField(
        _("parameters, in billions"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0001), MaxValueValidator(100_000)],
    )
    openness = models.CharField(_("availability"), max_length=8, choices=list(OPENNESS.items()), default="open")
    licence = models.CharField(
        _("licence"),
        max_length=60,
        blank=True,
        help_text=_("of the model, such as Apache-2.0"),
        validators=[plain_name],
    )
    base = models.CharField(_("base model"), max_length=120, blank=True, validators=[plain_name])
    training_data = models.TextField(_("training data"), max_length=2000, blank=True, validators=[plain_text])
    # Shown as text; the site never opens it.
    link = models.URLField(
        _("link"), max_length=300, blank=True, validators=[URLValidator(["http", "https"]), plain_text]
    )
    setting = models.CharField(_("setting"), max_length=12, choices=list(SETTINGS.items()), default="zero-shot")
    contamination = models.TextField(
        _("contamination"),
        max_length=2000,
        help_text=_("whether the test data can have been in the training data"),
        validators=[plain_text],
    )

    created = models.DateTimeField(auto_now_add=True)
    queued = models.DateTimeField(null=True)
    counted = models.DateTimeField(null=True)  # first queued: when it counts in limits, whatever is scored again
    scored = models.DateTimeField(null=True)
    published = models.DateTimeField(null=True)

    worker = models.CharField(max_length=80, blank=True)
    heartbeat = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)  # begun since it was queued, of those that count (lease.py)
    broken = models.DateTimeField(null=True)  # when the last attempt was broken off, since it was queued
    n_broken = models.PositiveSmallIntegerField(default=0)  # how many were, whether they count or not
    not_before = models.DateTimeField(null=True)  # the next attempt, after one that was broken off
    rescore = models.BooleanField(default=False)  # scored, and to be scored again; its state stays as it is
    judgings = models.PositiveSmallIntegerField(default=0)  # that left verdicts missing
    judge_usd = models.FloatField(default=0.0, editable=False)  # what its judge has cost

    exact = models.JSONField(null=True, editable=False)  # the task's summary; for staff and the worker alone
    told = models.JSONField(null=True)  # what its team is told (disclosure)
    shown = models.JSONField(null=True)  # what its public row says
    requests = models.PositiveSmallIntegerField(default=0)  # for publication, so far
    n_flagged = models.PositiveIntegerField(default=0)  # responses that look as if they addressed the judge

    class Meta:
        """Indices for worker, limits, boards and the staff queue; an upload of the API is one submission a board."""

        constraints = (models.UniqueConstraint(fields=("team", "board", "request_key"), name="one_upload_each"),)
        indexes = (
            models.Index(fields=("state", "queued"), name="by_state"),
            models.Index(fields=("team", "board", "created"), name="by_team"),
            models.Index(fields=("season", "state"), name="by_season"),
            models.Index(fields=("queued",), condition=models.Q(rescore=True), name="to_rescore"),
        )

    def __str__(self) -> str:
        return f"{self.model_name} ({self.board})"

    @property
    def told_text(self) -> str:
        """What its team is told, in a sentence; empty where nothing is, and where its board is gone."""
        board = every_board().get(self.board)
        return in_words(self.told, board.headings[board.metrics[0]]) if self.told and board else ""


class Decision(models.Model):
    """What one member of staff decided about one request; one each, so that an approval cannot be replayed."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="decisions")
    staff = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="decisions")
    approves = models.BooleanField()
    note = models.TextField(max_length=2000, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    round = models.PositiveSmallIntegerField(default=1)  # the number of the request, see `Submission.requests`

    class Meta:
        """One decision a person and request."""

        constraints = (models.UniqueConstraint(fields=("submission", "staff", "round"), name="one_decision_each"),)

    def __str__(self) -> str:
        return f"{self.submission_id}: {'yes' if self.approves else 'no'}"


class Fingerprint(models.Model):
    """The answers of one submission, hashed and packed, from which similarity is computed (similarity.py)."""

    submission = models.OneToOneField(Submission, models.CASCADE, primary_key=True, related_name="fingerprint")
    items = models.CharField(max_length=64)  # SHA-256 of the items; only answers to the same ones are comparable
    n_items = models.PositiveIntegerField()
    answers = models.BinaryField()  # two bytes an item
    sketch = models.BinaryField()  # those of some of the items
    alike = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")  # of another team, most alike
    share = models.FloatField(default=0.0)  # of answers that are the same as those of `alike`

    class Meta:
        """An index for what staff should see."""

        indexes = (models.Index(fields=("share",), name="most_alike"),)

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.n_items}"


class Note(models.Model):
    """What a member of staff wrote about a submission for the others."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="notes")
    staff = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="notes")
    text = models.TextField(_("note"), max_length=2000, validators=[plain_text])
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.text[:40]}"


class Mail(models.Model):
    """A mail to send: written with the change that it tells of, and kept until a server takes it."""

    to = models.EmailField()
    subject = models.CharField(max_length=200)
    body = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    sent = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt = models.DateTimeField(auto_now_add=True)

    class Meta:
        """An index for what is still to be sent."""

        indexes = (models.Index(fields=("sent", "next_attempt"), name="to_send"),)

    def __str__(self) -> str:
        return f"{self.to}: {self.subject}"


class JudgeMonth(models.Model):
    """What the judge has cost in a month, with what is reserved for submissions that are being judged."""

    month = models.DateField(primary_key=True)  # its first day
    usd = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}: ${self.usd:.2f}"


class Judging(models.Model):
    """Whether a board's answers can be judged, as a worker found: the web process knows no key of a judge."""

    board = models.CharField(max_length=80, primary_key=True)
    refusal = models.CharField(max_length=20, blank=True)  # a key of `judged.REFUSALS`; empty: they can
    seen = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.board}: {self.refusal or 'judged'}"
