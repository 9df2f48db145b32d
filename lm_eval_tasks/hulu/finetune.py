"""`hueval hulu finetune MODEL`: fine-tune a model on each corpus with several seeds, and score what it predicts.

The paper prints no settings (§4). The defaults are those of HuLU-evaluate, its authors' trainer: 6 epochs, learning
rate 2e-5 without warm-up, batches of 8 (https://github.com/nytud/HuLU-evaluate). It cuts texts at 256 tokens; here they
are whole unless --max-length is given. It keeps the last epoch; here a tenth of train chooses.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import math
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.commands.parser import Parser, filled
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.exit_status import DONE
from hueval_metrics.loader import documents, examples
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature
from hueval_metrics.text.files import read_text, write_whole
from hueval_metrics.text.write_json import json_text
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.finetune_inputs import Document, encoded
from lm_eval_tasks.hulu.finetune_training import Recipe, devices, finetuned, load_tokenizer, positions_of
from lm_eval_tasks.hulu.hooks import LABELS_ALONE, answer

if TYPE_CHECKING:
    import numpy as np
    from datasets import Dataset
    from numpy.typing import NDArray

SPLITS = ("validation", "test")
FINISHED = "finished.json"  # split → signature of its predictions; written last

log = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """Fine-tune a model on each corpus with several seeds, and score what it predicts.

    Args:
        arguments: those after `hueval hulu finetune`.

    Returns:
        The exit status.

    Raises:
        InputError: an option, the model or the output folder is not usable, or a package is missing.
        DataError: the data cannot be found.
        KeyboardInterrupt: Ctrl-C.
    """
    args = _parser().parse_args(arguments)
    _require(("torch", "transformers", "accelerate", *(["peft"] if args.peft else [])))
    logging.getLogger("lm_eval_tasks.hulu").setLevel(logging.INFO)
    _quiet()
    recipe = filled(Recipe, args)
    if recipe.batch_size % devices():
        raise InputError(f"--batch-size {recipe.batch_size}: {devices()} devices share it. Give a multiple of that")
    tokenizer = load_tokenizer(recipe.model)
    positions = positions_of(recipe.model, tokenizer)
    if recipe.max_length is not None and positions is not None and recipe.max_length > positions:
        raise InputError(f"--max-length {recipe.max_length}: the model has {positions} positions. Give at most that")
    corpora = {name: _corpus(name, args, recipe, tokenizer, positions) for name in args.corpora}
    _settle(args.output / "training", recipe, corpora)
    for seed in args.seeds:
        for corpus in corpora.values():
            folder = args.output / "training" / f"seed-{seed}" / corpus.name
            if args.split not in _read(folder / FINISHED):
                _finetune(recipe, corpus, seed, tokenizer, folder)
            if _writes():
                _score(args.output, args.split, seed, recipe.model)
    if _writes():
        _show([args.output / args.split / f"seed-{seed}" for seed in args.seeds])
    return DONE


@dataclass(frozen=True)
class CorpusData:
    """A corpus as it is fine-tuned on.

    Attributes:
        name: a key of `CORPORA`.
        docs: split that is predicted → its documents.
        signatures: split that is predicted → the signature of its data.
        rows: split, `train` too → its rows, as `finetune_training.finetuned` takes them.
        train_hash: of the texts and labels of train.
    """

    name: str
    docs: Mapping[str, Sequence[Document]]
    signatures: Mapping[str, str]
    rows: Mapping[str, Dataset]
    train_hash: str


def _corpus(name: str, args: argparse.Namespace, recipe: Recipe, tokenizer: Any, positions: int | None) -> CorpusData:
    """All splits of a corpus; of those that are predicted only the one that is asked for must be there."""
    from datasets import Dataset

    task, variants = f"hulu_{name}", {"prompt": recipe.template or 1}
    docs: dict[str, list[dict[str, Any]]] = {}
    signatures = {}
    for each in SPLITS:
        try:
            docs[each], provenance = documents(task, split=each, data_dir=args.data_dir, **variants)
        except DataError:
            if each in (args.split, recipe.select_on):
                raise
            log.warning("%s: no %s rows there, so that predicting them later takes a new training.", name, each)
        else:
            signatures[each] = provenance["signature"]
    train = examples(task, "train", {"split": "train", **variants})
    limits = {"max_length": recipe.max_length, "positions": positions}
    rows = {}
    for each, found in {"train": train, **docs}.items():
        tokens = encoded(tokenizer, found, templated=recipe.template is not None, **limits)
        rows[each] = Dataset.from_list([{**one, "label": answer(doc)} for one, doc in zip(tokens, found, strict=True)])
    train_hash = hashlib.sha256(json.dumps(train, sort_keys=True).encode()).hexdigest()[:8]
    return CorpusData(name, docs, signatures, rows, train_hash)


def _settle(folder: Path, recipe: Recipe, corpora: Mapping[str, CorpusData]) -> None:
    """Keep what a folder's fine-tunings have in common, and refuse others: a mixture would pass for one model."""
    settings = (
        asdict(recipe)
        | {"precision": _precision()}
        | {f"train of {corpus.name}": corpus.train_hash for corpus in corpora.values()}
    )
    file = folder / "settings.json"
    known = _read(file)
    for name, value in settings.items():
        if known.get(name, value) != value:
            raise InputError(
                f"{file}: was made with {name} {one_line(known[name])}, not {one_line(value)}. "
                "Choose another folder with --output"
            )
    if _writes():
        write_whole(file, _json(known | settings))


def _finetune(recipe: Recipe, corpus: CorpusData, seed: int, tokenizer: Any, folder: Path) -> None:
    try:
        predictions = finetuned(recipe, corpus.name, seed, tokenizer, corpus.rows, folder)
    except KeyboardInterrupt:
        if _writes():
            text = "interrupted. The same command goes on after its last whole epoch; what is finished stays"
            log.warning("%s, seed %d: %s.", corpus.name, seed, text)
        raise
    if not _writes():
        return
    signatures = {}
    for split, likelihoods in predictions.items():
        write_whole(folder / f"{split}.jsonl", _samples(corpus.docs[split], likelihoods, recipe))
        signatures[split] = _signature(corpus, split, recipe, seed)
    write_whole(folder / FINISHED, _json(_read(folder / FINISHED) | signatures))
    for checkpoint in folder.glob("checkpoint-*"):
        shutil.rmtree(checkpoint, ignore_errors=True)


def _samples(docs: Sequence[Document], likelihoods: NDArray[np.float64], recipe: Recipe) -> bytes:
    """Predictions in the form of lm-eval's samples, which `hueval score` reads."""
    lines = []
    for doc, row in zip(docs, likelihoods.tolist(), strict=True):
        shown = {name: value for name, value in doc.items() if name != "prompt" or recipe.template is not None}
        resps = [[[str(value), str(value == max(row))]] for value in row]
        lines.append(json_text({"doc": shown | {LABELS_ALONE: True}, "resps": resps}))
    return ("\n".join(lines) + "\n").encode()


def _signature(corpus: CorpusData, split: str, recipe: Recipe, seed: int) -> str:
    known = Signature.parse(corpus.signatures[split])
    if recipe.template is None:
        known = Signature({**known.parts, "prompt": "none"})
    made = {
        "select_on": recipe.select_on,
        "seed": seed,
        "epochs": recipe.epochs,
        "learning_rate": recipe.learning_rate,
        "batch_size": recipe.batch_size,
        "max_length": recipe.max_length or "no",
        "precision": _precision(),
    }
    parts = ",".join(f"{name}={value}" for name, value in made.items())
    used = ("torch", "transformers", *(["peft"] if recipe.peft else []))
    settings = {
        "shots": 0,
        "gen": f"finetuned{'-lora' if recipe.peft else ''},{parts}",
        "chat": "no",
        "reasoning": "no",
        "limit": "no",
        "train": corpus.train_hash,
    }
    return str(known.with_settings(settings | {library: version(library) for library in used}))


def _precision() -> str:
    """The precision of training, as `accelerate launch` sets it."""
    return os.environ.get("ACCELERATE_MIXED_PRECISION", "no").replace("no", "fp32")


def _score(output: Path, split: str, seed: int, model: str) -> None:
    """Score all that is finished with a seed, as `hueval score` does, into a folder that `hueval table` reads."""
    from hueval_metrics.scoring.score import score_paths
    from hueval_metrics.scoring.write import write_scores

    scores = []
    for name in CORPORA:
        folder = output / "training" / f"seed-{seed}" / name
        if (signature := _read(folder / FINISHED).get(split)) is None:
            continue
        (score,) = score_paths([folder / f"{split}.jsonl"], f"hulu_{name}", {})
        known = {"n_missing": 0, "signature": signature, "model": model}
        scores.append(replace(score, summary=score.summary | known))
    write_scores(scores, output / split / f"seed-{seed}")


def _show(folders: Sequence[Path]) -> None:
    from hueval_metrics.api.results import Results, load
    from hueval_metrics.comparison.facets import as_repeats

    results, color = load(*folders), sys.stdout.isatty()
    print(results.table(color=color), end="")
    tasks = [task for run in results.runs for task in run.tasks.values()]
    if len(results.runs) > 1 and any(score is not None for task in tasks for score in task.scores.values()):
        print("\n" + Results((as_repeats(results.runs),)).table(color=color), end="")
    print(f"\nWrote results.json and items.jsonl in {', '.join(map(str, folders))}")


def _read(file: Path) -> dict[str, Any]:
    """A JSON object that this command wrote; an empty one where there is none yet."""
    try:
        found: dict[str, Any] = json.loads(read_text(file))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be read ({one_line(error)}). Choose another folder with --output") from None
    return found


def _json(value: Mapping[str, Any]) -> bytes:
    return (json_text(value, indent=2) + "\n").encode()


def _writes() -> bool:
    """Whether this process is the one that writes and prints, of several under `accelerate launch`."""
    return os.environ.get("RANK", "0") == "0"


def _quiet() -> None:
    """Keep what transformers says of every model from between our lines."""
    from transformers.utils import logging as theirs

    theirs.set_verbosity_error()
    theirs.disable_progress_bar()


def _require(packages: Sequence[str]) -> None:
    if missing := [name for name in packages if find_spec(name) is None]:
        extras = "hf,peft" if "peft" in missing else "hf"
        raise InputError(f"fine-tuning needs {', '.join(missing)}. Install it: pip install 'hueval[{extras}]'")


def _parser() -> Parser:
    parser = Parser(
        prog="hueval hulu finetune",
        description="Fine-tune an encoder or a causal language model on each corpus, and score its predictions. "
        "The same command goes on with what is not finished.",
    )
    parser.add_argument("model", metavar="MODEL", help="a folder, or a name on the Hub")
    parser.add_argument(
        "--corpora", type=_corpora, default=tuple(CORPORA), metavar="NAME[,NAME…]", help="default: all six"
    )
    parser.add_argument("--seeds", type=_seeds, default=(1, 2, 3), metavar="N[,N…]", help="default: 1,2,3")
    parser.add_argument("--epochs", type=_positive, default=Recipe.epochs, metavar="N", help="default: %(default)s")
    parser.add_argument(
        *("--learning-rate", "--learning_rate"),
        type=_rate,
        default=Recipe.learning_rate,
        metavar="RATE",
        help="default: %(default)s",
    )
    parser.add_argument(
        *("--batch-size", "--batch_size"),
        type=_positive,
        default=Recipe.batch_size,
        metavar="N",
        help="of all devices; default: %(default)s",
    )
    parser.add_argument(
        *("--max-length", "--max_length"),
        type=_positive,
        metavar="TOKENS",
        help="cut longer texts (default: refuse them)",
    )
    parser.add_argument("--peft", action="store_true", help="train LoRA adapters instead of all weights")
    parser.add_argument(
        "--template", type=int, choices=(1, 2, 3), help="put the texts into one of the task's prompts (default: none)"
    )
    parser.add_argument(
        *("--select-on", "--select_on"),
        choices=("train", "validation"),
        default=Recipe.select_on,
        help="rows that choose the best epoch: a tenth of train (default), or validation, which is then no fair score",
    )
    parser.add_argument("--split", choices=SPLITS, default="validation", help="what is scored; default: %(default)s")
    parser.add_argument("--data-dir", metavar="DIR", help="folder that has hulu/ (default: HUEVAL_DATA_DIR)")
    parser.add_argument("--output", type=Path, default=Path("finetuned"), metavar="DIR", help="default: %(default)s")
    return parser


def _corpora(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in CORPORA:
            raise InputError(
                f'--corpora: "{one_line(name, 40)}" is none of the corpora that classify: {", ".join(CORPORA)}'
            )
    return names


def _seeds(text: str) -> tuple[int, ...]:
    if not all(seed.strip().isdecimal() and int(seed) < 2**32 for seed in text.split(",")):
        raise argparse.ArgumentTypeError(f"expected whole numbers below 2³², such as 1,2,3; got {text}")
    return tuple(dict.fromkeys(map(int, text.split(","))))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number above 0; got {text}")
    return int(text)


def _rate(text: str) -> float:
    if not 0 < (rate := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number above 0; got {text}")
    return rate
