from hueval_metrics.reports.figures.layout import number_labels
from hueval_metrics.reports.figures.sheet import Sheet
from hueval_metrics.reports.figures.theme import LIGHT
from tests.each import each


@each(
    ("across", "kept"),
    [
        ([0, 50, 100], ["0", "50", "100"]),
        ([20, 40, 60, 80, 100], ["20", "60", "100"]),
        ([40, 60, 80, 100], ["60", "100"]),
    ],
)
def test_labels_that_would_meet_are_thinned_evenly(across, kept):
    sheet = Sheet.of(4.0, 1.0, LIGHT)
    axes = sheet.axes(1.0, 0.1, 1.0, 0.5)
    axes.set_xlim(0, 100)
    number_labels(sheet, axes, across)
    assert [label.get_text() for label in axes.get_xticklabels()] == kept
