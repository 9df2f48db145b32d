"""The documents that predictions go by: each prediction has one, and none has two predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.loader import open_task, other_documents
from hueval_metrics.registry import TaskSpec
from hueval_metrics.scoring.inputs import Key, Prediction

_SHOWN = 3  # ids named in a message; the count says the rest
_FEW = 5  # values of a field that a message can list

Document = Mapping[str, Any]
Again = Counter[bool]  # whether a prediction of an item that had one says the same → how many do


class OtherItemsError(InputError):
    """None of the predictions is of an item of the task."""


class KnownDocuments:
    """The documents of the data, and which predictions go by them.

    Raises:
        DataError: they cannot be found.
    """

    def __init__(self, spec: TaskSpec, settings: Mapping[str, Any]) -> None:
        everything = open_task(spec, settings)
        self.provenance = everything.provenance
        self.docs: Mapping[Key, Document] = everything.by_key(spec)
        self._spec = spec
        self._run = spec.variants(settings)
        self._keys = list(self.docs)
        # A field with few values, such as the order of two options, is more often mistaken than its item is unknown.
        values = [list(dict.fromkeys(found)) for found in zip(*self._keys, strict=True)]
        self._expected = {place: found for place, found in enumerate(values) if place and len(found) <= _FEW}
        self._first: dict[Key, tuple[str, int]] = {}  # where its prediction is, and the hash of that
        self._again: Again = Counter()
        self._unknown: list[Prediction] = []
        self._n_unknown = 0
        self._unsaid = ""
        self._repeat: tuple[Prediction, str] | None = None

    def key_of(self, prediction: Prediction) -> Key:
        """By which key a prediction goes: its own, or that of its position where the file has no ids.

        A field of the key that is a variant, such as the split, is the run's where the row does not say it.

        Raises:
            InputError: there are not so many documents.
        """
        if prediction.key is not None:
            named = zip(self._spec.declared.key, prediction.key, strict=True)
            return tuple(self._run.get(field) if value is None else value for field, value in named)
        if prediction.position is None or prediction.position >= len(self._keys):
            raise InputError(
                f"{prediction.where}: no {self._spec.declared.key[0]}, and only {len(self._keys)} documents to go by "
                "position. Was it made from another version of the data?"
            )
        return self._keys[prediction.position]

    def add(self, prediction: Prediction) -> None:
        """See whether a prediction has a document, and none before it the same.

        Raises:
            InputError: a field of its key has a value that it cannot have.
        """
        key = self.key_of(prediction)
        if None in key[1:]:
            self._unsaid = self._unsaid or self._lacking(prediction, key)
            return
        fields = self._spec.declared.key
        for place, value in enumerate(key[1:], 1):
            expected = self._expected.get(place)
            if value not in expected if expected else not isinstance(value, (str, int)):
                named = " or ".join(map(repr, expected)) if expected else "a text or an integer"
                raise InputError(
                    f'{prediction.where} ({fields[0]} {key[0]}): "{fields[place]}" is {value!r}, expected {named}'
                    f"{other_documents('. ', self._spec, self._run, fields[place], value)}"
                )
        if key not in self.docs:
            self._n_unknown += 1
            if self._n_unknown <= _SHOWN:
                self._unknown.append(prediction)
        elif key in self._first:
            where, said = self._first[key]
            self._again[said == prediction.said] += 1
            self._repeat = self._repeat or (replace(prediction, key=key), where)
        else:
            self._first[key] = prediction.where, prediction.said

    @property
    def are_first(self) -> bool:
        """Whether the documents with a prediction are the first, in the order of the data."""
        return self._first.keys() == set(self._keys[: len(self._first)])

    def finish(self) -> None:
        """Refuse what was found.

        Raises:
            InputError: predictions without a key, of unknown items, or two of one item.
        """
        first, *further = self._spec.declared.key
        if self._unsaid:
            raise InputError(self._unsaid)
        if self._unknown:
            names = ", ".join(str(p.key and p.key[0]) for p in self._unknown) + ", …" * (self._n_unknown > _SHOWN)
            kind = InputError if self._first else OtherItemsError
            raise kind(
                f"{self._unknown[0].where}: {self._n_unknown} predictions for unknown {first}s ({names}). "
                "Is it another task, or another version of the data?"
                + "".join(other_documents(" ", self._spec, self._run, field) for field in further)
            )
        if self._repeat:
            raise InputError(repeated(self._spec, *self._repeat, self._again))

    def _lacking(self, prediction: Prediction, key: Key) -> str:
        fields = self._spec.declared.key
        place = key.index(None)
        values = self._expected.get(place)
        named = f": {' or '.join(map(repr, values))}" if values else ""
        return (
            f'{prediction.where}: a prediction of {self._spec.name} needs "{fields[place]}" beside "{fields[0]}"{named}'
        )


def repeated(spec: TaskSpec, prediction: Prediction, first: Prediction | str, again: Again) -> str:
    """The fault that an item has two predictions; `first`: the first of them, or where it is; `again`: how many there
    are.
    """
    key, where = prediction.key or (), first if isinstance(first, str) else first.where
    named = ", ".join(
        f"{field} {value}" for field, value in zip(spec.declared.key, key, strict=True) if value is not None
    )
    fix = "Score one run at a time, one prediction a question"
    return f"{prediction.where}: {named} was already at {where}. {fix} {counted(again)}"


def counted(again: Again) -> str:
    """How many predictions are of an item that had one before, and how many of these say something else."""
    return f"(repeated: {again.total()}, of which with another reply: {again[False]})"
