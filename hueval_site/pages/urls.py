"""The addresses of the pages."""

from django.urls import path

from hueval_site.pages import public, submit

urlpatterns = [
    path("", public.start, name="start"),
    path("boards/<str:task>/", public.board, name="board"),
    path("submit/<str:task>/", submit.submit, name="submit"),
    path("my/", submit.mine, name="mine"),
    path("my/<uuid:key>/", submit.result, name="result"),
]
