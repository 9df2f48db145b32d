"""The app of submissions."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    """Submissions, their states and results."""

    name = "hueval_site.submissions"
    label = "submissions"

    def ready(self) -> None:
        """Register what the audit log watches."""
        from hueval_site.submissions import audit  # noqa: F401
