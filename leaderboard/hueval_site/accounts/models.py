"""People, the teams under whose names results stand, and the tokens of the API."""

from __future__ import annotations

import hashlib
import secrets

from django.conf import settings
from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.utils.translation import gettext_lazy as _

TOKEN_PREFIX = "hueval_"  # scanners for leaked secrets can know one by it  # nosec B105


class Team(models.Model):
    """Those who submit together: limits count for a team, and its name stands on the boards."""

    name = models.CharField(_("team"), max_length=80, unique=True)
    is_admitted = models.BooleanField(_("admitted"), default=False, help_text=_("may submit"))
    is_suspended = models.BooleanField(_("suspended"), default=False)
    # Who founded it, or was made its owner since; None for a team that was founded from the command line.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("owner")
    )
    invitations = models.PositiveIntegerField(default=0, editable=False)  # how often they were called back
    created = models.DateTimeField(_("founded"), auto_now_add=True)

    class Meta:
        """What staff pages call it."""

        verbose_name, verbose_name_plural = _("team"), _("teams")

    def __str__(self) -> str:
        return str(self.name)


class UserManager(BaseUserManager):
    """Makes users, whose name is their e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: object) -> User:
        """An account; without a password nobody can log in by one."""
        user: User = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> User:
        """An administrator."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person: known by an e-mail address, a member of one team."""

    username = None
    email = models.EmailField(_("e-mail address"), unique=True)
    team = models.ForeignKey(
        Team, models.PROTECT, null=True, blank=True, related_name="members", verbose_name=_("team")
    )
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES, default="hu")

    network = models.CharField(max_length=16, blank=True, editable=False)  # from which it signed up (network.py)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = ()
    objects = UserManager()

    def is_last_administrator(self) -> bool:
        """Whether nobody else can administer the site."""
        others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=self.pk)
        return self.is_superuser and self.is_active and not others.exists()


class Token(models.Model):
    """A key of the API. Its text is shown once; the database has a digest alone."""

    user = models.ForeignKey(User, models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created = models.DateTimeField(auto_now_add=True)
    used = models.DateTimeField(null=True, editable=False)

    @classmethod
    def create(cls, user: User, name: str) -> tuple[Token, str]:
        """A new token and its text."""
        text = TOKEN_PREFIX + secrets.token_urlsafe(32)
        return cls.objects.create(user=user, name=name, digest=cls.digest_of(text)), text

    @staticmethod
    def digest_of(text: str) -> str:
        """What the database has of a token: SHA-256 is enough for 256 random bits."""
        return hashlib.sha256(text.encode()).hexdigest()
