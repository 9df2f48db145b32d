"""The fields of sign-up besides those of allauth."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from hueval_site.accounts.models import Team, User


class SignupForm(forms.Form):
    """A new team, with the account."""

    team = forms.CharField(label=_("Team"), max_length=80, help_text=_("Your results stand under this name."))

    def clean_team(self) -> str:
        """The name of a team that does not exist yet."""
        name: str = " ".join(self.cleaned_data["team"].split())
        if Team.objects.filter(name__iexact=name).exists():
            raise forms.ValidationError(_("There is a team of this name. Ask its members to invite you."))
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        """Found the team; allauth calls this when the account has been made."""
        user.team = Team.objects.create(name=self.cleaned_data["team"], is_admitted=settings.CONFIG.admits_all)
        user.language = (get_language() or settings.LANGUAGE_CODE)[:2]
        user.save(update_fields=["team", "language"])
