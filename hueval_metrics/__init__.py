"""Metrics, answer parsers and reports with which hueval scores language models on Hungarian.

    import hueval_metrics as hueval

What a user calls is offered here, and imported when it is first asked for.
"""

TYPE_CHECKING = False  # as `typing` has it, whose import would take most of the time
if TYPE_CHECKING:
    from hueval_metrics.api.compare import Comparison as Comparison
    from hueval_metrics.api.compare import compare as compare
    from hueval_metrics.api.compare import repeats as repeats
    from hueval_metrics.api.documents import documents as documents
    from hueval_metrics.api.report import report as report
    from hueval_metrics.api.results import Results as Results
    from hueval_metrics.api.results import load as load
    from hueval_metrics.api.run import run as run
    from hueval_metrics.api.score import score as score
    from hueval_metrics.errors import DataError as DataError
    from hueval_metrics.errors import HuevalError as HuevalError
    from hueval_metrics.errors import InputError as InputError
    from hueval_metrics.traces.api import TraceAnalysis as TraceAnalysis
    from hueval_metrics.traces.api import analyse_traces as analyse_traces
    from hueval_metrics.version import __version__ as __version__

_OFFERED = {  # name → the module that has it
    "Comparison": "hueval_metrics.api.compare",
    "DataError": "hueval_metrics.errors",
    "HuevalError": "hueval_metrics.errors",
    "InputError": "hueval_metrics.errors",
    "Results": "hueval_metrics.api.results",
    "compare": "hueval_metrics.api.compare",
    "documents": "hueval_metrics.api.documents",
    "load": "hueval_metrics.api.results",
    "repeats": "hueval_metrics.api.compare",
    "report": "hueval_metrics.api.report",
    "run": "hueval_metrics.api.run",
    "score": "hueval_metrics.api.score",
    "__version__": "hueval_metrics.version",
}

if not TYPE_CHECKING:  # type checkers see the imports above, and report any other name

    def __getattr__(name):
        from importlib import import_module
        from importlib.util import find_spec

        if name == "__all__":
            return _names()
        if name not in _OFFERED and (name.startswith("_") or find_spec(f"{__name__}.{name}")):  # a module of ours
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = _OFFERED.get(name) or _of_features().get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(module), name)
        return value

    def __dir__():
        return sorted(_names())

    def _names():
        return [*_OFFERED, *_of_features()]

    def _of_features():
        from hueval_metrics.features import features

        return {name: module for feature in features() for name, module in feature.api.items()}
