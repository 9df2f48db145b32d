"""The addresses of submitters, of accounts and of staff."""

from django.urls import path

from hueval_site.pages import account, admin, results, signals, staff, submit

urlpatterns = [
    path("submit/", submit.submit_files, name="submit_files"),
    path("submit/<str:task>/", submit.submit, name="submit"),
    path("my/", results.mine, name="mine"),
    path("my/account/", account.account, name="account"),
    path("my/account/data/", account.export, name="export"),
    path("my/account/delete/", account.delete, name="delete_account"),
    path("my/team/", account.team, name="team"),
    path("my/team/invitation/", account.invite, name="invite"),
    path("my/team/invitation/back/", account.call_back, name="call_back"),
    path("my/team/leave/", account.leave, name="leave"),
    path("my/tokens/", account.tokens, name="tokens"),
    path("my/tokens/<int:key>/delete/", account.delete_token, name="delete_token"),
    path("my/<uuid:key>/", results.result, name="result"),
    path("my/<uuid:key>/state/", results.state, name="result_state"),
    path("my/<uuid:key>/faults/", results.faults, name="faults"),
    path("my/<uuid:key>/card/", results.card, name="card"),
    path("my/<uuid:key>/publication/", results.ask_publication, name="request_publication"),
    path("my/<uuid:key>/withdrawal/", results.withdraw, name="withdraw"),
    path("join/<str:text>/", account.join, name="join"),
    path("setup/<str:text>/", account.make_first_admin, name="first_admin"),
    path("staff/", staff.queue, name="staff"),
    path("staff/signals/", signals.signals, name="signals"),
    path("staff/admin/", admin.site.urls),
    path("staff/<uuid:key>/", staff.submission, name="staff_submission"),
    path("staff/<uuid:key>/decision/", staff.decide, name="decide"),
    path("staff/<uuid:key>/note/", staff.note, name="note"),
    path("staff/<uuid:key>/queue/", staff.requeue, name="requeue"),
    path("staff/<uuid:key>/withdrawal/", staff.withdraw, name="withdraw_row"),
    path("staff/<uuid:key>/return/", staff.put_back, name="put_back"),
    path("staff/<uuid:key>/card/", staff.card, name="correct_card"),
    path("staff/teams/<int:key>/", staff.admit, name="admit"),
]
