"""The documents of the tasks of every family, and lm-eval's `custom_dataset`, which needs a judge for judged tasks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING, Any, NamedTuple

from hf_datasets.load import Loaded
from hf_datasets.load import load as load_rows
from hf_datasets.repo import MissingError, dataset_repo
from hueval_metrics.errors import DataError, HuevalError, InputError
from hueval_metrics.judge.progress import counted
from hueval_metrics.judge.readiness import judge_ready, signed
from hueval_metrics.languages.load import check_files
from hueval_metrics.launched import warn_of_call
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Signature
from hueval_metrics.registry import TaskSpec, resolve, task_spec, warn_of_near_misses
from hueval_metrics.version import __version__

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict

log = logging.getLogger(__name__)


class Documents(NamedTuple):
    """The documents of a task, each complete in itself, in file order.

    Attributes:
        docs: what the family makes of each row.
        provenance: file, hashes, origin, repository, signature, and `n_left_out`, how many rows gave no document, where
            there are any.
    """

    docs: list[dict[str, Any]]
    provenance: dict[str, Any]

    def by_key(self, spec: TaskSpec) -> dict[tuple[Any, ...], dict[str, Any]]:
        """What names an item (`TaskSpec.key_of`) → its document."""
        return {spec.key_of(doc): doc for doc in self.docs}


def load(*, task: str, **settings: Any) -> DatasetDict:
    """The documents of a task as one `test` split.

    Args:
        task: the task's name.
        **settings: its `metadata` (with `--metadata` and, by lm-eval's doing, the model's arguments merged in) and
            `dataset_kwargs`. `provenance`, an empty dict in the YAML, is filled in here, and so is in the results
            that lm-eval writes.

    Raises:
        SystemExit: with one line, when a value is out of range, the data cannot be had, or there is no judge for a
            judged task; lm-eval has no softer way to stop before the model is asked.
    """
    from datasets import DatasetDict

    try:
        spec = task_spec(task)
        require_libraries([spec])
        check_languages([spec])
        warn_of_call(spec)
        warn_of_near_misses(settings, spec.family.variants)  # first: data not found may come of a misspelt data_dir
        judge = judge_ready(task) if spec.rubric is not None else None
        asked = _asked(spec, settings)
        docs, provenance = _prepared.pop(asked) if asked in _prepared else open_task(spec, settings)
    except HuevalError as error:
        raise SystemExit(f"hueval: {error}") from None
    if judge is not None and spec.rubric is not None:
        provenance = signed(provenance, judge, spec.rubric)
    settings.get("provenance", {}).update(provenance)
    if provenance["sample"]:
        log.warning("HUEVAL_SAMPLE=1: runs on the packaged sample, not on the benchmark.")
    if count := provenance.get("n_left_out"):
        log.warning("%s: %s left out, without the texts of %s.", task, counted(count, "row"), _settings(spec, settings))
    return DatasetDict({"test": _dataset(docs, provenance)})


def _dataset(docs: list[dict[str, Any]], provenance: Mapping[str, Any]) -> Dataset:
    """`Dataset.from_list`, which spends four fifths of its time on a fingerprint of all that it was given."""
    from datasets import Dataset
    from datasets.table import InMemoryTable

    fingerprint = hashlib.sha256(f"{provenance['signature']} {provenance['content']}".encode()).hexdigest()[:16]
    return Dataset(InMemoryTable.from_pylist(docs), fingerprint=fingerprint)


_prepared: dict[tuple[Any, ...], Documents] = {}


@contextlib.contextmanager
def documents_prepared() -> Iterator[Callable[[TaskSpec, Mapping[str, Any]], None]]:
    """Inside, the first `load` of a task takes the documents that were prepared for it, and does not make them again.

    Yields:
        Prepares a task: arguments and errors are those of `open_task`.
    """

    def prepare(spec: TaskSpec, settings: Mapping[str, Any]) -> None:
        _prepared[_asked(spec, settings)] = open_task(spec, settings)

    try:
        yield prepare
    finally:
        _prepared.clear()


def _asked(spec: TaskSpec, settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a call of `open_task` depends on, in one process."""
    return spec.name, settings.get("data_dir"), *spec.variants(settings).values()


def documents(task: str, /, **settings: Any) -> Documents:
    """`open_task` by the task's name, for scripts; also raises InputError where there is no such task."""
    return open_task(task_spec(task), settings)


def open_task(spec: TaskSpec, settings: Mapping[str, Any]) -> Documents:
    """Locate the rows of a task, read and check them, and make its documents.

    Args:
        spec: the task.
        settings: `data_dir` and the family's variants, in place of the defaults in the YAML's `metadata`.

    Raises:
        InputError: a value is not one of those declared.
        DataError: the data cannot be found or lack what was asked for, or have something twice that is there once only
            (`declare.Task.unique`).
    """
    family, variants = spec.family, spec.variants(settings)
    data = _rows(spec, variants.get("split", "test"), settings)
    shared = _shared(spec, variants)
    signed = {key: str(value) for key, value in variants.items() if key == "split" or key in _signed(spec)}
    signature = Signature.of_data(
        spec.name,
        spec.version,
        data.source.blob_id,
        variants.get("question_lang", family.languages[0]),
        resolve(family.prompt)(spec.short_name, variants, *shared),
        data.source.sample,
        signed | {"hueval": __version__} | _versions((*family.libraries, *spec.declared.libraries)),
    )
    docs, n_left_out = _documents(spec, data, variants, shared)
    if n_left_out and not docs:
        raise DataError(
            f"{data.source.path}: no row has the texts of {_settings(spec, settings)}. Add them, or ask for others"
        )
    left_out = {"n_left_out": n_left_out} if n_left_out else {}
    return Documents(docs, {**data.provenance, **left_out, "signature": str(signature)})


def examples(task: str, split: str, variants: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The documents of a split that few-shot examples are drawn from, out of the source that is being scored.

    Args:
        task: a task. It, or another one with the same rows, has been loaded before: that settles the source.
        split: name of the split.
        variants: value of every variant of the family; `split` is replaced.

    Raises:
        DataError: see `open_task`.
    """
    spec = task_spec(task)
    variants = {**variants, "split": split}
    return _documents(spec, _rows(spec, split), variants, _shared(spec, variants))[0]


def _signed(spec: TaskSpec) -> set[str]:
    """The variants that have a part of their own in the signature of a task: of those signed, where it has a choice."""
    values = {**spec.family.variants, **spec.declared.variants}
    return {key for key in spec.family.signed if len(values[key]) > 1}


def require_libraries(tasks: Iterable[TaskSpec]) -> None:
    """Check that the libraries by which tasks are scored are installed, before anything is generated or judged.

    Raises:
        InputError: some are not; the message says how to install them.
    """
    lacking: dict[str, None] = {}
    needing = []
    for spec in tasks:
        if missing := [name for name in (*spec.family.libraries, *spec.declared.libraries) if not _version(name)]:
            needing.append(spec.name)
            lacking |= dict.fromkeys(missing)
    if needing:
        more = f" and {len(needing) - 1} more" if len(needing) > 1 else ""
        wanted = " ".join(dict.fromkeys(f"'{_installed_by(name)}'" for name in lacking))
        raise InputError(
            f"{needing[0]}{more} cannot be scored without {', '.join(lacking)}. pip install {wanted}, "
            "or leave such tasks out"
        )


def check_languages(tasks: Iterable[TaskSpec]) -> None:
    """Check the files of languages by which replies are read, before anything is generated or judged.

    Raises:
        InputError: one is damaged.
    """
    for spec in tasks:
        variants = {**spec.family.variants, **spec.declared.variants}
        check_files((*spec.family.languages, *(str(value) for values in variants.values() for value in values)))


def _installed_by(library: str) -> str:
    """What pip installs a library with: an extra of hueval that has it, or its own name."""
    with contextlib.suppress(PackageNotFoundError):
        for line in requires("hueval") or ():
            if found := re.fullmatch(
                rf"{re.escape(library)}\b[^;]*; *extra *== *[\"']([\w-]+)[\"']", line, re.IGNORECASE
            ):
                return f"hueval[{found[1]}]"
    return library


@cache
def _version(library: str) -> str | None:
    with contextlib.suppress(PackageNotFoundError):
        return version(library)
    return None


def _versions(libraries: Iterable[str]) -> dict[str, str]:
    return {library: found for library in libraries if (found := _version(library))}


_data_dirs: dict[tuple[str, str], str | None] = {}  # data set and config → the `data_dir` that was last asked for


def _rows(spec: TaskSpec, split: str, settings: Mapping[str, Any] | None = None, config: str | None = None) -> Loaded:
    source = spec.family.data_set, spec.data_config
    if settings is not None:
        _data_dirs[source] = settings.get("data_dir")
    return load_rows(dataset_repo(source[0]), config or source[1], split, data_dir=_data_dirs.get(source))


def _other_rows(spec: TaskSpec, split: str, config: str | None = None) -> Loaded | None:
    """Another split of a task's data, or of another config; None where it is optional and the source lacks it."""
    try:
        return _rows(spec, split, config=config)
    except MissingError:
        if dataset_repo(spec.family.data_set).table(config or spec.data_config, split).split.optional:
            return None
        raise


def _shared(spec: TaskSpec, variants: Mapping[str, Any]) -> list[Any]:
    """What the documents of a task have in common (`declare.Family.shared`), alone in a list; an empty one for none."""
    if spec.family.shared is None:
        return []
    return [resolve(spec.family.shared)(spec.short_name, variants, partial(_other_rows, spec))]


def _documents(
    spec: TaskSpec, data: Loaded, variants: Mapping[str, Any], shared: Iterable[Any]
) -> tuple[list[dict[str, Any]], int]:
    """The documents of the rows, and how many rows gave none."""
    documents_of, name = resolve(spec.family.documents), spec.short_name
    by_row = [documents_of(name, row, variants, *shared) for row in data.rows]
    docs = [doc for some in by_row for doc in some]
    if spec.declared.unique:
        _refuse_twins(spec, docs, str(data.source.path))
    return docs, by_row.count([])


def _settings(spec: TaskSpec, given: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in spec.variants(given).items())


def _refuse_twins(spec: TaskSpec, docs: Iterable[Mapping[str, Any]], where: str) -> None:
    first: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for doc in docs:
        twin = first.setdefault(spec.unique_of(doc), doc)
        if twin is not doc:
            raise DataError(f"{where}: {twins(spec, twin, doc)}. Drop one of the rows")


def other_documents(after: str, spec: TaskSpec, run: Mapping[str, Any], field: str, value: Any = None) -> str:
    """How to ask for documents with a value of a field, or any but the run's, after some text; empty for no variant."""
    on_offer = spec.declared.variants.get(field) or spec.family.variants.get(field, ())
    others = [one for one in on_offer if one != run[field] and value in (None, one)]
    options = " or ".join(f"--metadata '{json.dumps({field: one})}'" for one in others)
    return f"{after}For another {field}: {options}" if options else ""


def twins(spec: TaskSpec, one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """The words on two documents that have the values in common that no two should have (`declare.Task.unique`)."""
    ids = " and ".join(
        ", ".join(f"{name} {one_line(value, 40)}" for name, value in zip(spec.declared.key, key, strict=True))
        for key in (spec.key_of(one), spec.key_of(other))
    )
    shared = " and ".join(f"{name} {one_line(one.get(name), 40)}" for name in spec.declared.unique)
    return f"{ids} have the same {shared}, which no two of {spec.name} may have"


def prompt_id(label: str, text: str) -> str:
    """The name of a prompt in signatures: a label, such as its language, and a hash of all text that it always has.

    >>> prompt_id("en", "Question: {question}")
    'en-b6f9739c'
    """
    return f"{label}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
