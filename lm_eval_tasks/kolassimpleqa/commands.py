"""`hueval kolassimpleqa …`: each command is a few lines that call functions elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from hueval_metrics.commands.parser import Parser
from hueval_metrics.exit_status import DONE, INCOMPLETE

log = logging.getLogger(__name__)


def translate(arguments: Sequence[str]) -> int:
    """Write the data with questions that a model has translated into English.

    Args:
        arguments: those after `hueval kolassimpleqa translate`.

    Returns:
        The exit status.
    """
    from hueval_metrics.judge.progress import counted
    from lm_eval_tasks.kolassimpleqa.translate import chosen, translator_settings, work_of
    from lm_eval_tasks.kolassimpleqa.translate import translate as translated

    parser = Parser(
        prog="hueval kolassimpleqa translate",
        description="Let a model translate the questions into English, and write the data with them; the references "
        "in English stay those of the data. The model is reached as a judge is (HUEVAL_JUDGE_BASE_URL and so on). The "
        "estimated price comes first. After a stop the same command goes on, and pays for nothing twice.",
    )
    parser.add_argument("model", metavar="MODEL", help="the model's id; the paper's is gpt-4o-2024-08-06")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="files go to DIR/kolassimpleqa")
    parser.add_argument("--lang", default="", metavar="LANG[,LANG…]", help="only these, such as hu,cs")
    parser.add_argument("--domain", default="", metavar="DOMAIN", help="only general, or only specific")
    parser.add_argument("--data-dir", metavar="DIR", help="folder that has kolassimpleqa/*.jsonl")
    parser.add_argument("--budget-usd", type=float, metavar="USD", help="dollars that are never exceeded")
    parser.add_argument("--dry-run", action="store_true", help="print the calls and their price, and make none")
    args = parser.parse_args(arguments)
    configs = chosen(*([name.strip() for name in text.split(",") if name.strip()] for text in (args.lang, args.domain)))
    work = work_of(configs, translator_settings(args.model, args.budget_usd), args.output, args.data_dir)
    if args.dry_run:  # else the engine says it before the first call
        print(work.plan())
        return DONE
    status = DONE
    for one in translated(work, args.output):
        if one.file is None:
            log.warning(
                "%s: %s without a reply, so nothing is written of it. The same command goes on.",
                one.config,
                counted(one.n_unanswered, "question"),
            )
            status = INCOMPLETE
            continue
        print(f"{one.config}: {counted(one.n, 'question')} translated, in {one.file}")
        for count, why in (
            (one.n_unreadable, "with a reply that cannot be read, and so without English"),
            (one.n_without_reference, "not translated, without a reference in English"),
        ):
            if count:
                log.warning("%s: %s %s. A run in English leaves out such.", one.config, counted(count, "question"), why)
    if status == DONE:
        print(f'\nUse them: hueval run … --metadata \'{{"data_dir": "{args.output}", "question_lang": "en"}}\'')
    return status
