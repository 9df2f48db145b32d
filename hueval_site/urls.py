"""The addresses of the site."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("", include("hueval_site.pages.urls")),
]
