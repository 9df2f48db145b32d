"""The forms of submitters and accounts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.utils.translation import gettext_lazy as _

from hueval_site.accounts.models import Token, User
from hueval_site.accounts.names import plain_name, plain_text
from hueval_site.submissions.card import CARD, CardForm
from hueval_site.submissions.models import Note


class SubmissionForm(CardForm):
    """A file and its model card."""

    upload = forms.FileField(label=_("File"))
    field_order = ("upload", *CARD)


class TeamForm(forms.Form):
    """A new team."""

    name = forms.CharField(
        label=_("Name of the team"),
        max_length=80,
        validators=[plain_name],
        help_text=_("Your results stand under this name. Staff alone can change it."),
    )


class TokenForm(forms.ModelForm):
    """A new token."""

    name = forms.CharField(
        label=_("Name of the token"),
        help_text=_("For you, such as the name of the machine that uses it."),
        max_length=80,
        validators=[plain_text],  # staff see it in a terminal too
    )

    class Meta:
        """Its name alone."""

        model = Token
        fields = ("name",)


class LanguageForm(forms.ModelForm):
    """The language of mails."""

    class Meta:
        """One field."""

        model = User
        fields = ("language",)
        labels = {"language": _("Language of mails")}


class DeletionForm(forms.Form):
    """A confirmation that one means it."""

    sure = forms.BooleanField(label=_("I want to delete my account."))


class FirstAdminForm(forms.Form):
    """Address and password of the first administrator."""

    email = forms.EmailField(
        label=_("E-mail address"), max_length=254, widget=forms.EmailInput({"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=password_validation.password_validators_help_text_html(),
    )
    again = forms.CharField(
        label=_("Password (again)"), strip=False, widget=forms.PasswordInput({"autocomplete": "new-password"})
    )

    def clean(self) -> dict[str, Any]:
        """The passwords are equal, and allowed."""
        found: dict[str, Any] = super().clean() or {}
        if found.get("password") and found.get("again"):
            if found["password"] != found["again"]:
                self.add_error("again", _("The two passwords differ."))
            try:
                password_validation.validate_password(found["password"], User(email=found.get("email", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return found


class Unseen(forms.HiddenInput):
    """No field on the page: the button that was used tells the value."""

    def render(self, *given: object, **options: object) -> str:
        """Nothing."""
        return ""


class SeenForm(forms.Form):
    """What staff do about a row that they have seen (submissions/versions.py)."""

    version = forms.IntegerField(widget=forms.HiddenInput)


class ActForm(SeenForm):
    """An act of staff, with its reason."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        validators=[plain_text],
        widget=forms.Textarea({"rows": 3}),
        help_text=_("It is mailed to those whom it is about, and kept in the audit log."),
    )


class CorrectionForm(CardForm, ActForm):
    """A model card that staff correct."""

    field_order = (*CARD, "reason")


class DecisionForm(SeenForm):
    """A decision about a request."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        validators=[plain_text],
        widget=forms.Textarea({"rows": 3}),
        help_text=_("A refusal needs one; it is mailed to the submitter."),
    )
    number = forms.IntegerField(widget=forms.HiddenInput)  # of the request that was seen
    decision = forms.ChoiceField(choices=[("approve", ""), ("refuse", "")], widget=Unseen)

    def clean(self) -> dict[str, Any]:
        """A refusal has a reason."""
        found: dict[str, Any] = super().clean() or {}
        if found.get("decision") == "refuse" and not found.get("reason"):
            self.add_error("reason", _("Say why, so that the submitter can change it."))
        return found


class NoteForm(forms.ModelForm):
    """A note for other members of staff."""

    class Meta:
        """Its text."""

        model = Note
        fields = ("text",)
        widgets = {"text": forms.Textarea({"rows": 3})}
        labels = {"text": _("Note for other members of staff")}
