"""Write the data with questions that a named model has translated into English (§4.2, setting `tran_en`).

The reference stays what the data say in English. A question without one is not translated: scores would then rest on
a reference that no one has checked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hf_datasets.kolassimpleqa.schema import REVERSE
from hf_datasets.load import load as load_rows
from hf_datasets.repo import dataset_repo
from hueval_metrics.errors import InputError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.engine import judge_stream
from hueval_metrics.judge.estimate import estimates
from hueval_metrics.judge.ledger import check_budget, ledger
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.shutdown import warn_of_end
from hueval_metrics.loader import prompt_id
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Verdict
from hueval_metrics.text.files import write_whole
from hueval_metrics.text.write_json import json_text
from lm_eval_tasks.kolassimpleqa import translator
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES, PIVOT

ABOUT = "translation.json"  # which model translated, by which prompt

Row = Mapping[str, Any]

log = logging.getLogger(__name__)


def translator_settings(model: str, budget_usd: float | None) -> JudgeSettings:
    """How a model is reached: the settings of the judge in the environment, for another model.

    Raises:
        InputError: the environment makes no API calls, or names no server; or there is a budget, and no known
            price.
    """
    base = judge_settings()
    if not model.strip():
        raise InputError("the model's id is empty. Name one, such as gpt-4o-2024-08-06")
    if not base.asks:
        raise InputError(
            f"HUEVAL_JUDGE={base.mode} makes no API calls, and a translation needs a model. Unset HUEVAL_JUDGE"
        )
    if not base.is_configured:
        raise InputError(
            f"no server and no key for {model}. Set HUEVAL_JUDGE_API_KEY or OPENAI_API_KEY, or HUEVAL_JUDGE_BASE_URL "
            "for a server of your own"
        )
    if budget_usd is not None and not 0 < budget_usd < float("inf"):
        raise InputError(f"--budget-usd {budget_usd:g}: expected dollars above 0")
    budget = base.budget_usd if budget_usd is None else budget_usd
    settings = replace(base, model=model, is_default_model=False, panel=(), repeats=1, budget_usd=budget)
    settings = replace(settings, later="the same command", noun="translation", asks_final=True)
    check_budget(settings)
    return settings


def chosen(languages: Sequence[str], domains: Sequence[str]) -> list[str]:
    """The configs of some languages and domains, of all where none is named.

    Raises:
        InputError: there is no such language or domain.
    """
    for option, given, known in (("--lang", languages, LANGUAGES), ("--domain", domains, DOMAINS)):
        for name in given:
            if name not in known:
                raise InputError(f'{option} "{one_line(name, 40)}": not on offer. One of: {", ".join(known)}')
    return [
        f"{language}_{domain}"
        for language in LANGUAGES
        for domain in DOMAINS
        if language in (languages or LANGUAGES) and domain in (domains or DOMAINS)
    ]


@dataclass(frozen=True)
class Work:
    """What is to be translated.

    Attributes:
        rows: config → its rows.
        sources: config → the git blob id of the file that they are from.
        settings: who translates.
    """

    rows: Mapping[str, Sequence[Row]]
    sources: Mapping[str, str]
    settings: JudgeSettings

    @property
    def items(self) -> list[tuple[Row, str]]:
        """The rows to translate, of all configs in order, as the engine takes them."""
        return [(row, "") for rows in self.rows.values() for row in rows if row["answer_en"] is not None]

    def plan(self) -> str:
        """How many questions there are, and the estimated price; makes no API calls."""
        (estimate,) = estimates(self.items, translator.__name__, self.settings)
        return estimate.line(ledger().left_usd(self.settings))


def work_of(configs: Sequence[str], settings: JudgeSettings, output: Path, data_dir: str | None) -> Work:
    """Read the rows to translate.

    Raises:
        InputError: they would be overwritten.
        DataError: they cannot be found.
    """
    repo = dataset_repo(FAMILY.data_set)
    rows, sources = {}, {}
    for config in configs:
        loaded = load_rows(repo, config, "test", data_dir=data_dir)
        if _file(output, config).resolve() == loaded.source.path.resolve():
            raise InputError(
                f"--output {output}: would replace {loaded.source.path}, which is read. Name another folder"
            )
        rows[config], sources[config] = loaded.rows, loaded.source.blob_id
    return Work(rows, sources, settings)


@dataclass(frozen=True)
class Translated:
    """What became of a config.

    Attributes:
        config: language and domain.
        file: what was written; None where some questions had no reply, and the same command asks for them.
        n: questions that were translated.
        n_unreadable: questions whose reply could not be read; they have no English.
        n_without_reference: questions that were not translated, since the data have no reference in English.
        n_unanswered: questions without a reply.
    """

    config: str
    file: Path | None
    n: int
    n_unreadable: int
    n_without_reference: int
    n_unanswered: int


def translate(work: Work, output: Path) -> Iterator[Translated]:
    """Translate, and write each config that has a reply to every question.

    What was paid for is in the judge's cache, so that the same call goes on where one was stopped.

    Args:
        work: the questions.
        output: the folder; files are written to its sub-folder with the name of the data set.

    Raises:
        InputError: a file cannot be written.
    """
    warn_of_end(work.settings)
    with closing(judge_stream(work.items, translator.__name__, work.settings, len(work.items))) as replies:
        yield from _written(work, output, replies)
        next(replies, None)  # the engine sums up in the log after its last reply


def _written(work: Work, output: Path, replies: Iterator[Verdict]) -> Iterator[Translated]:
    for config, rows in work.rows.items():
        said = [None if row["answer_en"] is None else next(replies) for row in rows]
        asked = [verdict for verdict in said if verdict is not None]
        n_unanswered = sum(not (verdict.is_given or verdict.is_unreadable) for verdict in asked)
        file = None if n_unanswered else _file(output, config)
        if file is not None:
            write_whole(file, _official(config, rows, said))
            _note(work, output, config)
        n = sum(verdict.is_given for verdict in asked)
        yield Translated(
            config, file, n, len(asked) - n - n_unanswered, len(rows) - len(asked), n_unanswered=n_unanswered
        )


def _file(output: Path, config: str) -> Path:
    return output / FAMILY.data_set / f"{config}.jsonl"


def _official(config: str, rows: Sequence[Row], said: Sequence[Verdict | None]) -> bytes:
    """The rows in the form of the official file, one a fact, their questions in English as translated."""
    language = config.split("_")[0]
    facts: dict[str, dict[str, Any]] = {}
    for row, verdict in zip(rows, said, strict=True):
        way = "_reverse" if row["is_reverse"] else ""
        question = row[f"question_{PIVOT}"] if verdict is None else verdict.data if verdict.is_given else None
        qid = row["qid"].removesuffix(REVERSE) if row["is_reverse"] else row["qid"]
        fact = facts.setdefault(qid, {"qid": qid, "knowledge_track_id": row["knowledge_track_id"]})
        fact |= {
            f"question{way}_{language}": row["question"],
            f"answer{way}_{language}": row["answer"],
            f"question{way}_{PIVOT}": question,
            f"answer{way}_{PIVOT}": row[f"answer_{PIVOT}"],
        }
    return "".join(json_text(fact) + "\n" for fact in facts.values()).encode()


def _note(work: Work, output: Path, config: str) -> None:
    """Write beside the files who translated them, for those who publish results."""
    path = output / FAMILY.data_set / ABOUT
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    prompt = prompt_id("ours", "\n".join(translator.PROMPT.values()))
    about = {"model": work.settings.model, "prompt": prompt, "source": work.sources[config]}
    kept = known if isinstance(known, dict) else {}
    write_whole(path, (json_text(kept | {config: about}, indent=2) + "\n").encode())
