"""The addresses of the pages."""

from django.urls import include, path

from hueval_site.pages import boards_view, models_view, public

urlpatterns = [
    path("", public.start, name="start"),
    path("tasks/", public.tasks, name="tasks"),
    path("tasks/<str:task>/", public.task, name="task"),
    path("tasks/<str:task>/data/<path:name>", public.download, name="download"),
    path("boards/<str:task>/", boards_view.board, name="board"),
    path("boards/<str:task>/graph-<str:theme>-<str:width>.svg", boards_view.graph, name="graph"),
    path("families/<str:name>/", boards_view.family, name="family"),
    path("families/<str:name>/table.<str:form>", boards_view.family_data, name="family_data"),
    path("models/<uuid:key>/", models_view.model, name="model"),
    path("rows/<uuid:key>/", models_view.row, name="row"),
    path("compare/", models_view.compare, name="compare"),
    path("new.atom", public.feed, name="feed"),
    path("faq/", public.faq, name="faq"),
    path("imprint/", public.imprint, name="imprint"),
    path("privacy/", public.privacy, name="privacy"),
    path("", include("hueval_site.pages.member_urls")),
]
