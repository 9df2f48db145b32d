"""Metrics, answer parsers and reports with which hueval scores language models on Hungarian.

    import hueval_metrics as hueval

What a user calls is offered here, and imported when it is first asked for.
"""

TYPE_CHECKING = False  # as `typing` has it, whose import would take most of the time
if TYPE_CHECKING:
    from hueval_metrics.api.compare import Comparison as Comparison
    from hueval_metrics.api.compare import Repeats as Repeats
    from hueval_metrics.api.compare import compare as compare
    from hueval_metrics.api.compare import repeats as repeats
    from hueval_metrics.api.documents import documents as documents
    from hueval_metrics.api.report import report as report
    from hueval_metrics.api.results import Results as Results
    from hueval_metrics.api.results import load as load
    from hueval_metrics.api.run import run as run
    from hueval_metrics.api.score import score as score
    from hueval_metrics.api.traces import TraceAnalysis as TraceAnalysis
    from hueval_metrics.api.traces import analyse_traces as analyse_traces
    from hueval_metrics.errors import DataError as DataError
    from hueval_metrics.errors import HuevalError as HuevalError
    from hueval_metrics.errors import InputError as InputError
    from hueval_metrics.version import __version__ as __version__

_OFFERED = {  # name → the module that has it
    "Comparison": "hueval_metrics.api.compare",
    "DataError": "hueval_metrics.errors",
    "HuevalError": "hueval_metrics.errors",
    "InputError": "hueval_metrics.errors",
    "Repeats": "hueval_metrics.api.compare",
    "Results": "hueval_metrics.api.results",
    "TraceAnalysis": "hueval_metrics.api.traces",
    "analyse_traces": "hueval_metrics.api.traces",
    "compare": "hueval_metrics.api.compare",
    "documents": "hueval_metrics.api.documents",
    "load": "hueval_metrics.api.results",
    "repeats": "hueval_metrics.api.compare",
    "report": "hueval_metrics.api.report",
    "run": "hueval_metrics.api.run",
    "score": "hueval_metrics.api.score",
    "__version__": "hueval_metrics.version",
}
__all__ = [*_OFFERED]

if not TYPE_CHECKING:  # type checkers see the imports above, and report any other name

    def __getattr__(name):
        if name not in _OFFERED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_OFFERED[name]), name)
        return value

    def __dir__():
        return sorted(__all__)
