"""Django's admin for teams, accounts and phases: lists, and the acts of `submissions/moderation.py`, each with a form.

It adds, edits and deletes nothing, and has no submissions, so neither scores nor labels. It is for staff who have a
second factor, without which allauth does not sign them in any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from auditlog.models import LogEntry
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import Count, Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hueval_site.accounts.models import Team, User
from hueval_site.accounts.names import plain_text
from hueval_site.pages.forms import ActForm
from hueval_site.pages.staff import refusals_shown, staff_only
from hueval_site.submissions.begun import has_begun, moved_dates
from hueval_site.submissions.models import Phase
from hueval_site.submissions.moderation import ACCOUNT_ACTS, PHASE_ACTS, TEAM_ACTS, Act
from hueval_site.submissions.phases import PHASE_STATES, standing
from hueval_site.submissions.versions import unchanged, versions_of

MOST_ROWS = 20  # of one act: each has a mail, and somebody who has looked at it
SHOWN_ENTRIES = 100  # of the audit log
APPLY = "apply"


def _has_second_factor(request: HttpRequest) -> bool:
    """Whether whoever asks has one; looked up once, as it is asked for each list."""
    if not hasattr(request, "has_second_factor"):
        request.has_second_factor = is_mfa_enabled(request.user)
    return bool(request.has_second_factor)


class StaffSite(admin.AdminSite):
    """The admin pages; who is not of staff gets 404, and who has no second factor sets one up first."""

    enable_nav_sidebar = False
    final_catch_all_view = False  # its own 404 would tell others that there is something

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may see the pages."""
        return super().has_permission(request) and _has_second_factor(request)

    def admin_view(self, view: Callable[..., HttpResponse], cacheable: bool = False) -> Callable[..., HttpResponse]:
        """A view for staff alone."""
        return staff_only(super().admin_view(view, cacheable))

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Where staff come who may not see the pages yet."""

        def to_second_factor(request: HttpRequest) -> HttpResponse:
            messages.warning(request, _("These pages need a second factor. Set one up first."))
            return redirect("mfa_index")

        return staff_only(to_second_factor)(request)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The lists; Django's own front page would add a log that stays empty."""
        return redirect("admin:app_list", "accounts")

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The page of the site does it."""
        return redirect("account_change_password")

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """The names of the site, and where its link leads."""
        title = settings.CONFIG.title
        names = {"site_title": title, "site_header": title, "site_url": reverse("staff")}
        return super().each_context(request) | names


class RowsForm(ActForm):
    """An act about some teams, accounts or phases, with the version of each that was seen."""

    version = None  # each row has its own
    value = forms.CharField(max_length=120, validators=[plain_text])
    field_order = ("value", "reason")

    def __init__(self, act: Act, rows: Sequence[Model], *args: Any) -> None:
        super().__init__(*args)
        if act.is_free:
            self.fields["reason"].required = False
        if not act.asks:
            del self.fields["value"]
        else:
            if act.choices is not None:
                self.fields["value"] = forms.ChoiceField(choices=[(one, one) for one in act.choices(rows[0])])
            self.fields["value"].label = act.asks
        versions = versions_of(rows)
        self.versions = {row.pk: f"version_{row.pk}" for row in rows}
        for row in rows:
            self.fields[self.versions[row.pk]] = forms.IntegerField(
                widget=forms.HiddenInput, initial=versions[str(row.pk)]
            )


class ActsAdmin(admin.ModelAdmin):
    """A list that can be searched, pages of what is in it, and acts."""

    acts: tuple[Act, ...] = ()
    list_per_page = 50
    show_full_result_count = False

    def _sees(self, request: HttpRequest, row: Model | None = None) -> bool:
        return self.admin_site.has_permission(request)

    def _never(self, request: HttpRequest, row: Model | None = None) -> bool:
        return False

    has_view_permission = has_module_permission = _sees
    has_add_permission = has_change_permission = has_delete_permission = _never

    def get_urls(self) -> list[Any]:
        """Without the old addresses of pages, which have no names."""
        return [one for one in super().get_urls() if one.name]

    def get_actions(self, request: HttpRequest) -> dict[str, tuple[Callable[..., HttpResponse | None], str, str]]:
        """The acts, and nothing of Django's own."""
        return {act.word: (_page_of(act), act.word, act.label) for act in self.acts}

    @admin.display(description=gettext_lazy("History"))
    def history(self, row: Model) -> SafeString:
        """The last entries of the audit log, with the reasons of acts."""
        entries = LogEntry.objects.get_for_object(row).select_related("actor").order_by("-pk")[:SHOWN_ENTRIES]
        lines = []
        for entry in entries:
            added = entry.additional_data or {}
            changed = [f"{name} {old} → {new}" for name, (old, new) in entry.changes_display_dict.items()]
            what = ": ".join(filter(None, (added.get("act"), added.get("reason")))) or "; ".join(changed)
            what = _("added") if entry.action == LogEntry.Action.CREATE else what
            lines.append((f"{entry.timestamp:%Y-%m-%d %H:%M:%S}", entry.actor or _("the site"), what))
        return format_html_join("", "<div>{}, <bdi>{}</bdi>: {}</div>", lines)


def _page_of(act: Act) -> Callable[[ActsAdmin, HttpRequest, QuerySet[Any]], HttpResponse | None]:
    """The admin action of an act: it asks for the reason, then does it to each row by itself."""

    def view(of: ActsAdmin, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        most = 1 if act.asks else MOST_ROWS
        rows = list(chosen.order_by("pk")[: most + 1])
        if len(rows) > most:
            messages.error(request, _("This is done to at most %(n)d at once. Nothing was done.") % {"n": most})
            return None
        form = RowsForm(act, rows, request.POST if APPLY in request.POST else None)
        if not form.is_valid():
            back = reverse(f"admin:{of.opts.app_label}_{of.opts.model_name}_changelist")
            context = {"act": act, "rows": rows, "form": form, "back": back, "title": of.opts.verbose_name_plural}
            return render(request, "staff/act.html", context)
        value = (form.cleaned_data["value"],) if act.asks else ()
        for row in rows:
            with refusals_shown(request), unchanged(row, form.cleaned_data[form.versions[row.pk]]):
                act.run(row, request.user, form.cleaned_data["reason"], *value)
                messages.success(request, f"{row}: {act.label}.")
        return None

    return view


class TeamAdmin(ActsAdmin):
    """Teams."""

    acts = TEAM_ACTS
    list_display = ("name", "state", "n_submissions", "created")
    list_filter = ("is_admitted", "is_suspended")
    search_fields = ("name", "members__email")
    ordering = ("-created",)
    fields = ("name", "state", "owner", "members", "created", "history")
    readonly_fields = ("state", "members", "history")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """With the number of submissions."""
        return super().get_queryset(request).annotate(n=Count("submissions", distinct=True))

    @admin.display(description=gettext_lazy("State"))
    def state(self, team: Team) -> str:
        """Whether a team may submit."""
        return _("suspended") if team.is_suspended else _("admitted") if team.is_admitted else _("not admitted")

    @admin.display(description=gettext_lazy("Submissions"), ordering="n")
    def n_submissions(self, team: Any) -> int:
        """How many submissions a team has."""
        return team.n

    @admin.display(description=gettext_lazy("Members"))
    def members(self, team: Team) -> SafeString:
        """Links to the members."""
        found = ((reverse("admin:accounts_user_change", args=[one.pk]), one.email) for one in team.members.all())
        return format_html_join("", '<div><a href="{}"><bdi>{}</bdi></a></div>', found)


class AccountAdmin(ActsAdmin):
    """Accounts."""

    acts = ACCOUNT_ACTS
    list_display = ("email", "team", "state", "second_factor", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff")
    list_select_related = ("team",)
    search_fields = ("email", "team__name")
    ordering = ("-date_joined",)
    fields = (
        "email", "team", "language", "state", "second_factor", "tokens", "date_joined", "last_login", "history",
    )  # fmt: skip
    readonly_fields = ("state", "second_factor", "tokens", "history")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """With what tells whether there is a second factor."""
        factors = Authenticator.objects.exclude(type=Authenticator.Type.RECOVERY_CODES)
        return super().get_queryset(request).annotate(has_factor=Exists(factors.filter(user=OuterRef("pk"))))

    @admin.display(description=gettext_lazy("State"))
    def state(self, user: User) -> str:
        """What a person may do."""
        if not user.is_active:
            return _("suspended or deleted")
        return _("administrator") if user.is_superuser else _("staff") if user.is_staff else _("member")

    @admin.display(description=gettext_lazy("second factor"))
    def second_factor(self, user: Any) -> str:
        """Whether a password alone does not sign in."""
        return _("set up") if user.has_factor else _("none")

    @admin.display(description=gettext_lazy("Tokens"))
    def tokens(self, user: User) -> SafeString:
        """The names of the tokens, and when each was used."""
        found = ((one.name, f"{one.used:%Y-%m-%d}" if one.used else "–") for one in user.tokens.all())
        return format_html_join("", "<div><bdi>{}</bdi>, {}</div>", found)


class PhaseAdmin(ActsAdmin):
    """Phases with dates."""

    acts = PHASE_ACTS
    list_display = ("board", "state", "opens", "freezes", "closes", "opened", "moved")
    ordering = ("board",)
    fields = ("board", "state", "opens", "freezes", "closes", "opened", "opened_by", "moved", "history")
    readonly_fields = ("state", "moved", "history")

    @admin.display(description=gettext_lazy("State"))
    def state(self, phase: Phase) -> str:
        """Where a phase stands."""
        return str(PHASE_STATES[standing(phase)])

    @admin.display(description=gettext_lazy("Moved in site.yaml"))
    def moved(self, phase: Phase) -> SafeString:
        """The dates that do not count yet."""
        return format_html("<code>{}</code>", moved_dates(phase) if has_begun(phase) else "")


site = StaffSite(name="admin")
site.register(Team, TeamAdmin)
site.register(User, AccountAdmin)
site.register(Phase, PhaseAdmin)
