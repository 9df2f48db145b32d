"""Write a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hueval_metrics.records import HuevalError, InputError

_BUFFER = 2**20


def write_whole(path: Path, content: bytes, error: type[HuevalError] = InputError, mend: str = "") -> None:
    """Write a file so that another process sees all of it or nothing; missing folders are made.

    Args:
        path: the file; an older one is replaced.
        content: its bytes.
        error: what to raise.
        mend: what the user can do about it, for the message.

    Raises:
        HuevalError: of the type `error`: the folder cannot be made or written. Nothing half-written is left.
    """
    with whole_file(path, error, mend) as write:
        write(content)


@contextmanager
def whole_file(path: Path, error: type[HuevalError] = InputError, mend: str = "") -> Iterator[Callable[[bytes], None]]:
    """Write a file piece by piece; it appears under its name at the end of the `with` block, unless that fails.

    Args:
        path, error, mend: as for `write_whole`.

    Yields:
        What writes the next piece.

    Raises:
        HuevalError: as for `write_whole`, also out of the function that it yields.
    """

    @contextmanager
    def told() -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            advice = mend or "Free some space there or choose another folder"
            raise error(f"cannot write {path} ({problem.strerror}). {advice}") from None

    def write(content: bytes) -> None:
        with told():
            file.write(content)

    with told():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with told():
            file = os.fdopen(handle, "wb", buffering=_BUFFER)
        try:
            yield write
            with told():
                file.close()
                Path(part).chmod(0o644)  # mkstemp makes it private; results and caches are often shared by a group
                Path(part).replace(path)
        finally:
            with suppress(OSError):  # after a failure, what is still in the buffer
                file.close()
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
