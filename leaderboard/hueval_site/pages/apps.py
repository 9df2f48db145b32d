"""The app of pages."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """What readers and submitters see."""

    name = "hueval_site.pages"
    label = "pages"
