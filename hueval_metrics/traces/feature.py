"""How models reason: the analysis of reasoning traces, its tables, and its section and trace reader on the page."""

from pathlib import Path

from hueval_metrics.features import Feature

_API = "hueval_metrics.traces.api"

FEATURE = Feature(
    name="traces",
    commands={"traces": "hueval_metrics.traces.command"},
    api={"TraceAnalysis": _API, "analyse_traces": _API},
    analyses="hueval_metrics.traces.report.additions",
    words=Path(__file__).with_name("words"),
)
