"""Score predictions that were made elsewhere or earlier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.api.documents import settings_of, task_name
from hueval_metrics.api.paths import path_of
from hueval_metrics.api.predictions import prediction_files
from hueval_metrics.api.results import Results, load

if TYPE_CHECKING:
    import pandas

    from hueval_metrics.metrics.confidence import ConfidenceSettings, Edges
    from hueval_metrics.scoring.judged import JudgePlan


def score(
    predictions: str | Path | Iterable[str | Path] | Iterable[Mapping[str, Any]] | pandas.DataFrame,
    task: str | None = None,
    *,
    output: str | Path = "results",
    data_dir: str | Path | None = None,
    metadata: Mapping[str, Any] | None = None,
    only_missing: bool = False,
    rejudge: str | Sequence[str] | None = None,
    ece_bins: int = 10,
    ece_edges: Edges = "left",
    ece_attempted: bool = False,
    ask_final: bool = False,
    extract: str | None = None,
) -> Results:
    """Score predictions with the task's own filters, metrics and judge, without a model (`hueval score`).

    Args:
        predictions: a file or folder, or several: lm-eval's samples, plain predictions (`.jsonl`), OpenCompass files.
            Or rows in memory, an iterable of mappings or a data frame of pandas, each with the fields that name its
            item (mostly `qid`), the reply of the model as `prediction`, and its `task` where there are several.
        task: the task of rows that do not name theirs; `hueval ls tasks` lists them.
        output: folder for `results.json` and `items.jsonl`; each repeat (`hueval run --repeats`) gets a folder of its
            own in it. Verdicts that an earlier score has left there are carried
            over. Give each model a folder of its own: the name of the folder is that of a model without a name.
        data_dir: folder that has FAMILY/*.jsonl; None for the data of `HUEVAL_DATA_DIR`, the cache or the Hub.
        metadata: what the run was given by `--metadata`, for predictions that do not carry their documents.
        only_missing: keep also the verdicts that an earlier score left in `output`, for the very same predictions.
        rejudge: let another judge, or the several judges of a panel, judge everything again.
        ece_bins: number of bins of calibration errors. These settings are in the signature where they are not the
            usual ones.
        ece_edges: the side on which the bins are closed.
        ece_attempted: leave out answers that were not attempted; else they count as wrong.
        ask_final: ask the judge again where its refusal, or its unreadable reply, is known.
        extract: the model id of a judge that quotes the answers of replies to tasks scored by rule which are not read.
            What it quotes is counted in the columns `…_extracted`, beside the scores.

    Returns:
        The scores. A verdict that the judge did not give counts as missing (`TaskResult.n_without_verdict`); the same
        call asks again for those of `n_unanswered`.

    Raises:
        InputError: a path, row, option or setting is not usable, or a task is unknown.
        DataError: the data of the benchmark are needed and cannot be found.

    >>> import hueval_metrics as hueval
    >>> results = hueval.score("predictions.jsonl", "toybench_keywords", output="results/my-model")  # doctest: +SKIP
    >>> print(results)  # doctest: +SKIP
    >>> scores = results.to_pandas()  # doctest: +SKIP
    """
    from hueval_metrics.metrics.confidence import ConfidenceSettings
    from hueval_metrics.scoring.judged import JudgePlan

    name, folder = None if task is None else task_name(task), path_of(output, "output")
    plan = JudgePlan(only_missing, (rejudge,) if isinstance(rejudge, str) else rejudge or (), extract=extract)
    confidence = ConfidenceSettings(ece_bins, ece_edges, ece_attempted)
    return scored(predictions, name, folder, settings_of(data_dir, metadata), plan, confidence, ask_final=ask_final)


def scored(
    predictions: Any,
    task: str | None,
    folder: Path,
    settings: Mapping[str, Any],
    plan: JudgePlan,
    confidence: ConfidenceSettings,
    *,
    ask_final: bool,
) -> Results:
    """What `score` returns, for options that are records already; they are as for `scoring.write.score_into`."""
    from hueval_metrics.judge.configured import asking_final
    from hueval_metrics.scoring.lm_eval_results import by_repeat
    from hueval_metrics.scoring.write import RESULTS, score_into

    written = []
    with prediction_files(predictions) as paths, asking_final(ask_final):
        for repeat, own in by_repeat(paths).items():
            place = folder if repeat is None else folder / f"repeat-{repeat}"
            score_into(place, own, task, settings, plan, confidence)
            written.append(place / RESULTS)
    return load(*written)
