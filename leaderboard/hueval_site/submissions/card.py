"""The model card of a submission: the fields that a submitter sets, with one check for pages and API."""

from __future__ import annotations

from typing import Any

from django import forms

from hueval_site.accounts.names import tidy
from hueval_site.submissions.models import SETTINGS, UNRANKED, Submission

CARD = ("model_name", "size", "openness", "licence", "base", "training_data", "link", "setting", "contamination")


class _Link(forms.URLField):
    def __init__(self, **options: Any) -> None:
        super().__init__(assume_scheme="https", **options)


class CardForm(forms.ModelForm):
    """The model card.

    Args:
        may_mark: whether it can say that the row is one without a rank (`UNRANKED`), which is for staff.
    """

    class Meta:
        """Only what a submitter may set."""

        model = Submission
        fields = CARD
        field_classes = {"link": _Link}
        widgets = {
            "training_data": forms.Textarea({"rows": 3}),
            "contamination": forms.Textarea({"rows": 3}),
            "size": forms.NumberInput({"step": "any", "min": "0", "inputmode": "decimal"}),
        }

    def __init__(self, *args: Any, may_mark: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["setting"].choices = [one for one in SETTINGS.items() if may_mark or one[0] not in UNRANKED]

    def clean_model_name(self) -> str:
        """Single blanks, composed characters."""
        return tidy(self.cleaned_data["model_name"])

    @property
    def card(self) -> dict[str, Any]:
        """Field → value, of a valid form."""
        return {name: self.cleaned_data[name] for name in CARD}
