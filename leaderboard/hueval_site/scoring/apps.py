"""The app of scoring."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Workers, and what wakes them."""

    name = "hueval_site.scoring"
    label = "scoring"

    def ready(self) -> None:
        """Wake a worker for each upload that is queued."""
        from hueval_site.submissions.signals import was_queued

        was_queued.connect(_wake)


def _wake(**_: object) -> None:
    from hueval_site.scoring.tasks import wake_workers  # imports the scorers, which commands of the site do not need

    wake_workers()
