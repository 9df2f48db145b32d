from hueval_metrics.reports.page.words import both


def test_what_a_text_names_is_escaped():
    assert "&lt;b&gt;" in both("unreadable_file", problem="<b>")
    assert "<b>" not in both("unreadable_file", problem="<b>")
