"""What the site does otherwise than allauth: mails are queued, and no answer tells which addresses have an account."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse

from hueval_site.accounts.models import User
from hueval_site.accounts.network import network_of
from hueval_site.localized import language
from hueval_site.submissions.mails import queue_mail

UNKNOWN = "account/email/unknown_account"
LINKS = ("activate_url", "password_reset_url", "signup_url")


class Adapter(DefaultAccountAdapter):
    """Accounts of the site."""

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        """Keep the language of the pages for mails, and the network for staff."""
        user.language = language()
        with suppress(PermissionDenied):  # the server does not know the address
            user.network = network_of(self.get_client_ip(request))
        saved: User = super().save_user(request, user, form, commit)
        return saved

    def pre_login(self, request: HttpRequest, user: User, **login: Any) -> HttpResponse | None:
        """Give the session another key also before the second factor: who has planted it would be past the password."""
        request.session.cycle_key()
        response: HttpResponse | None = super().pre_login(request, user, **login)
        return response

    def format_email_subject(self, subject: str) -> str:
        """The site's title before the subject."""
        return f"{settings.CONFIG.title}: {subject}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue a mail: the worker sends it, so that a request waits for no mail server and fails with none.

        A form must not send mail to strangers: where an address has no account, the same work is done and undone, so
        that the time of an answer does not tell which addresses have one. Links lead to the site's own address: another
        person may have asked for the mail, with a Host header that has the port of a server of theirs.
        """
        links = {name: settings.CONFIG.url + urlsplit(context[name]).path for name in LINKS if name in context}
        request = allauth_context.request
        here = SimpleNamespace(name=settings.CONFIG.title, domain=settings.CONFIG.url)
        context = {"request": request, "email": email, "current_site": here, **context, **links}
        message = self.render_mail(template_prefix, email, context)
        with transaction.atomic():
            queue_mail(email, message.subject, message.body)
            if template_prefix == UNKNOWN:
                transaction.set_rollback(True)

    def send_account_already_exists_mail(self, email: str) -> None:
        """Tell the owner of an address of a sign-up with it, after the work that a new account would have taken."""
        make_password("as long as for a new account")
        super().send_account_already_exists_mail(email)
