"""The responses of a task with their verdicts: those that are there already, and the judge's on the others."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.errors import OptionError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.engine import counted, verdicts
from hueval_metrics.judge.outcomes import is_final
from hueval_metrics.judge.readiness import is_deferred, require_judge
from hueval_metrics.judge.rubric import is_of_another, load_rubric, rubric_id, task_beside
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Filtered, Verdict, has_verdict, is_open, is_unreadable, may_be_judged
from hueval_metrics.registry import TaskSpec
from hueval_metrics.scoring.earlier import EarlierItems, distinct, is_paid, reread, verdicts_of
from hueval_metrics.scoring.inputs import Prediction
from hueval_metrics.scoring.survey import TaskInput, logged_response

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JudgePlan:
    """Which verdicts are kept, and who is asked for the others.

    Attributes:
        only_missing: whether to keep the verdicts of an earlier `hueval score` too, not those of the samples alone.
        rejudge: the model ids of another judge or panel that judges everything again; empty to keep what is there.
        earlier: what an earlier `hueval score` left; None where nothing is. What is not kept goes along all the same.
        asks: whether a judge is asked; a report takes what is there.
        extract: the model id of a judge that quotes the answers of replies which are not read; None for none.
    """

    only_missing: bool = False
    rejudge: Sequence[str] = ()
    earlier: EarlierItems | None = None
    asks: bool = True
    extract: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rejudge, Sequence):
            raise OptionError(f"rejudge: of type {type(self.rejudge).__name__}, expected a model id or several")

    def settings(self) -> JudgeSettings:
        """How the judge is reached: the environment's settings, but for the judge that is named here.

        Raises:
            InputError: a setting in the environment is not usable, or does not go with another judge.
        """
        settings = judge_settings()
        if not self.rejudge:
            return settings
        if not settings.asks:
            why = f"HUEVAL_JUDGE={settings.mode} makes no API calls. Unset HUEVAL_JUDGE"
            raise OptionError(f"rejudge asks {self.rejudge[0]}, and {why}")
        if not all(self.rejudge) or len(set(self.rejudge)) < len(self.rejudge):
            raise OptionError("rejudge: expected one model id, or several different ones with commas between them")
        panel = tuple(self.rejudge) if len(self.rejudge) > 1 else ()
        return replace(settings, model=self.rejudge[0], is_default_model=False, panel=panel)


@dataclass(frozen=True, slots=True)
class Response:
    """One response to a document.

    Attributes:
        prediction: where it was read.
        doc: the document.
        filtered: the response, with its verdict once there is one.
        results: what `process_results` takes: the same as one JSON string, or a (log-likelihood, greedy) a choice.
        is_open: whether its verdict must still be asked for.
        is_asked: whether it was asked for just now, or earlier and the judge is known not to give it.
        earlier_verdicts: what others said of it, oldest first.
    """

    prediction: Prediction
    doc: Mapping[str, Any]
    filtered: Filtered
    results: Sequence[Any]
    is_open: bool = False
    is_asked: bool = False
    earlier_verdicts: Sequence[Mapping[str, Any]] = field(default=())


def judged_responses(given: TaskInput, plan: JudgePlan) -> Generator[Response, None, None]:
    """The responses of a task, filtered as in a live run, and judged where the task has a judge.

    Args:
        given: the task's predictions.
        plan: which verdicts to keep, and which judge to ask.

    Yields:
        Them in order, one at a time: what waits for the judge is bounded.

    Raises:
        InputError: a verdict is missing and no judge is configured, a setting is not usable, or a file has changed.
    """
    if not plan.asks:
        yield from _responses(given, plan)
        return
    n_open, n_unread = given.n_open, given.n_unread
    if n_open is None or plan.earlier is not None or plan.rejudge:
        kinds = Counter(is_unreadable(r.filtered.verdict) for r in _responses(given, plan) if r.is_open)
        n_open, n_unread = kinds.total(), kinds[True]
    settings = plan.settings() if n_open else None
    if settings is not None and is_deferred(settings, str(given.spec.rubric), n_open):
        settings = None
    if settings is not None and not settings.is_configured and n_unread == n_open:
        log.warning(
            "%s: %d replies of the judge are unreadable and stay so: no judge is configured to be asked again.",
            given.spec.rubric,
            n_open,
        )
        settings = None
    if settings is None:
        yield from _responses(given, plan)
        return
    require_judge(given.spec.name, settings, may_be_known=True)
    # The files are read once for the judge and once for the scores: thus a verdict that is late holds up no rows.
    final: list[Verdict] = []
    with closing(_answers(given, plan, settings, n_open)) as answers:
        for response in _responses(given, plan):
            if response.is_open and (known := _known_final(response, settings, given.spec)):
                final.append(Verdict(error=known.error, raw=""))
                response = replace(response, is_asked=True)
            elif response.is_open:
                response = _with_answer(response, next(answers).to_dict())
            yield response
        next(answers, None)  # the judge sums up in the log after its last verdict
    for _ in counted(final, f"{given.spec.rubric}, as {one_line(settings.name, 60)} was asked before", settings):
        pass


def _answers(given: TaskInput, plan: JudgePlan, settings: JudgeSettings, total: int) -> Generator[Verdict, None, None]:
    open_ = (r for r in _responses(given, plan) if r.is_open and not _known_final(r, settings, given.spec))
    items = ((r.doc, r.filtered.response) for r in open_)
    rubric = str(given.spec.rubric)
    yield from verdicts(items, rubric, settings, total, task_beside(rubric, given.spec.short_name))


def _known_final(response: Response, settings: JudgeSettings, spec: TaskSpec) -> Verdict | None:
    """The missing verdict of this judge, where it would most likely give none if it were asked again."""
    known = Verdict.from_json(response.filtered.verdict)
    if settings.asks_final or known is None or not is_final(known):
        return None
    return known if (known.judge, known.rubric) == (settings.name, _rubric_of(str(spec.rubric))) else None


def _responses(given: TaskInput, plan: JudgePlan) -> Iterator[Response]:
    """The responses with the verdicts that are there."""
    spec = given.spec
    if not spec.generates:
        for prediction, doc in given.rows():
            yield Response(prediction, doc, Filtered(""), prediction.choices.pairs if prediction.choices else [])
        return
    filter_class, settings = spec.trace_filter
    strip = filter_class(**settings).strip
    judge = plan.settings() if spec.rubric is not None and (plan.rejudge or plan.earlier is not None) else None
    for prediction, doc in given.rows():
        text, filtered = prediction.filtered or "", logged_response(prediction)
        second = filtered.second if filtered is not None else None
        if second is None and prediction.second is not None:
            second = strip(prediction.second, False).response
        if filtered is not None and spec.rubric is not None and is_of_another(filtered.verdict, spec.rubric):
            filtered = replace(filtered, verdict=None)
            text = filtered.to_json()
        if filtered is None or _is_decided_otherwise(prediction, filtered, given.template_opens):
            stripped = strip(prediction.text, given.template_opens)
            if filtered is None or (stripped.response, stripped.truncated) != (filtered.response, filtered.truncated):
                text, filtered = stripped.to_json(), stripped
        if filtered.second != second:
            filtered = replace(filtered, second=second)
            text = filtered.to_json()
        response = Response(prediction, doc, filtered, [text])
        if spec.rubric is None:
            yield response
        elif judge is None:
            yield replace(response, is_open=is_open(filtered.verdict))
        else:
            yield _with_known(response, plan, judge, spec)


def _is_decided_otherwise(prediction: Prediction, filtered: Filtered, template_opens: bool) -> bool:
    """Whether a live run, each rank by itself, may have decided otherwise that a reply without a tag was cut."""
    return filtered.truncated != template_opens and not first_tag(prediction.text)


def _with_verdict(response: Response, verdict: Mapping[str, Any]) -> Response:
    filtered = replace(response.filtered, verdict=verdict)
    return replace(response, filtered=filtered, results=[filtered.to_json()])


def _with_answer(response: Response, verdict: Mapping[str, Any]) -> Response:
    if is_unreadable(response.filtered.verdict) and not (has_verdict(verdict) or is_unreadable(verdict)):
        return replace(response, is_asked=True)  # nothing came: the reply that was there still says more
    response = replace(_with_verdict(response, verdict), is_asked=True)
    if has_verdict(verdict) and not response.earlier_verdicts:
        return response
    known = distinct([verdict, *response.earlier_verdicts])
    return replace(response, earlier_verdicts=known[has_verdict(verdict) :])


def _with_known(response: Response, plan: JudgePlan, judge: JudgeSettings, spec: TaskSpec) -> Response:
    """A response with the verdict that the plan keeps, and all others that are known."""
    logged, prediction, doc = response.filtered.verdict, response.prediction, response.doc
    row = plan.earlier.row(spec, doc, prediction.text) if plan.earlier else {}
    known = distinct([logged, *verdicts_of(row)])
    latest, kept, was = known[::-1], None, None
    if plan.rejudge:
        kept = next((one for one in latest if one.get("judge") == judge.name), None) if plan.only_missing else None
    elif has_verdict(logged):
        kept = known[0]
    elif plan.only_missing:
        kept = next(iter(latest), None)
    elif _is_of_same(row, response, spec):  # it is paid for, whatever has become of the cache
        rubric, text = load_rubric(str(spec.rubric)), response.filtered.response
        ours = ((reread(one, rubric, doc, text), one) for one in latest)
        kept, was = next((pair for pair in ours if is_paid(pair[0], rubric, judge, doc, text)), (None, None))
    others = [verdict for verdict in known if verdict is not kept and verdict is not was]
    if kept is not None and kept is not logged:
        response = _with_verdict(response, kept)
    return replace(response, is_open=kept is None and may_be_judged(logged), earlier_verdicts=others)


def _is_of_same(row: Mapping[str, Any], response: Response, spec: TaskSpec) -> bool:
    """Whether a row is of the same question, reference and response, so that a judge would be shown the same."""
    shown = response.filtered.response, text_of(spec.prompt, response.doc), text_of(spec.target, response.doc)
    return (row.get("response", row.get("prediction")), row.get("prompt"), row.get("reference")) == shown


def text_of(write: Callable[[Mapping[str, Any]], str | None], doc: Mapping[str, Any]) -> str | None:
    """A prompt or a reference; None where a document out of a samples file lacks what it is made of."""
    try:
        return write(doc)
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


@cache
def _rubric_of(name: str) -> str:
    return rubric_id(load_rubric(name))
