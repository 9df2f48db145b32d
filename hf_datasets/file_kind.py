"""What a file is when it is not the JSON Lines that it should be: an archive, a web page, a pointer."""

from __future__ import annotations

_SIGNATURES = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"PAR1": "a Parquet file",
    b"version https://git-lfs": "a git-lfs pointer (run git lfs pull where it came from)",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


def foreign_kind(content: bytes) -> str | None:
    """What the content is, told by its first bytes; None when it may be JSON Lines.

    >>> foreign_kind(b"<!DOCTYPE html><html>Sign in to the hotel network</html>")
    'a web page or XML'
    """
    for signature, kind in _SIGNATURES.items():
        if content.startswith(signature):
            return kind
    return "a web page or XML" if content[:200].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else None
