"""The addresses of the site: pages below `/hu/` and `/en/`, so that each has one address a language; API; metrics."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import include, path

from hueval_site.api.api import api
from hueval_site.api.description import description
from hueval_site.pages.metrics import metrics

urlpatterns = [
    path("api/v1/", api.urls),
    path("metrics", metrics, name="metrics"),
    *i18n_patterns(
        path("api/", description, name="api"),
        path("accounts/", include("allauth.urls")),
        path("", include("hueval_site.pages.urls")),
    ),
]

handler500 = "hueval_site.outages.server_error"
