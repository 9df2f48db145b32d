"""What the audit log watches. It has no answers, no faults and no exact scores."""

from auditlog.registry import auditlog

from hueval_site.accounts.models import Team, Token, User
from hueval_site.submissions.card import CARD
from hueval_site.submissions.models import Decision, Phase, Season, Submission

auditlog.register(Submission, include_fields=["state", "board", "season", "team", "reason", *CARD])
auditlog.register(Decision)
auditlog.register(Season, include_fields=["board", "number", "closed"])
auditlog.register(Phase, include_fields=["season", "opens", "freezes", "closes", "opened"])
auditlog.register(Team, include_fields=["name", "is_admitted", "is_suspended", "owner", "invitations"])
auditlog.register(User, include_fields=["email", "team", "is_staff", "is_superuser", "is_active"])
auditlog.register(Token, include_fields=["user", "name"])
