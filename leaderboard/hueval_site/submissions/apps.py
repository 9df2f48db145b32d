"""The app of submissions."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SubmissionsConfig(AppConfig):
    """Submissions, their states and results."""

    name = "hueval_site.submissions"
    label = "submissions"
    verbose_name = _("Submissions")

    def ready(self) -> None:
        """Register what the audit log watches."""
        from hueval_site.submissions import audit  # noqa: F401
