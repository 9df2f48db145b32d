from hueval_metrics.reports.figures.outcomes import outcomes_figures

QA = "openhueval_husimpleqa"


def test_shares_have_bars_under_the_papers_codes(run, texts):
    scores = {"correct": 50.25, "not_attempted": 9.0, "incorrect": 40.75}
    (figure,) = outcomes_figures([run("a", {QA: scores}, {QA: {"correct": (47.0, 53.0)}})])
    assert [(row["outcome"], row["score"]) for row in figure.rows] == [("CO", 50.25), ("NA", 9.0), ("IN", 40.75)]
    assert figure.rows[0]["ci95_low"] == 47.0
    told = [text for text in texts(figure) if text in ("CO", "50.2", "NA", "9.0", "IN", "40.8")]
    assert told == ["50.2", "CO", "9.0", "NA", "40.8", "IN"]  # a panel's numbers, then its title


def test_a_run_that_lacks_one_of_the_three_is_left_out(run):
    assert list(outcomes_figures([run("a", {QA: {"correct": 50.0, "not_attempted": None, "incorrect": 40.0}})])) == []
    assert list(outcomes_figures([])) == []
