"""What the wheel of the leaderboard holds, and what it needs; the other metadata are in setup.cfg."""

import runpy
from email import message_from_string
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
PACKAGES = find_packages(str(ROOT), include=["hueval_site*"])
LIBRARIES = (
    "django>=5.2,<6",
    "django-allauth[mfa]>=65.10",
    "django-auditlog>=3.2",
    "django-csp>=4.0",
    "django-htmx>=1.23",
    "django-ninja>=1.4",
    "django-storages[s3]>=1.14",
    "django-tasks-db[compat]>=0.12",
    "gunicorn>=23",
    "psycopg[binary]>=3.2",
    "whitenoise>=6.8",
)


def version() -> str:
    """That of the core in the same checkout; in an sdist, the one that it was made with."""
    made = ROOT / "PKG-INFO"
    if made.is_file():
        return str(message_from_string(made.read_text(encoding="utf-8"))["Version"])
    return str(runpy.run_path(str(ROOT.parent / "hueval_metrics" / "version.py"))["__version__"])


def is_data(path: Path) -> bool:
    """Whether a file is package data: neither code nor what an editor, a system or Python leaves behind."""
    left_behind = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(ROOT).parts)
    return path.is_file() and path.suffix != ".py" and not left_behind


SITE = ROOT / "hueval_site"
DATA = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*")) if is_data(path)]
VERSION = version()

setup(
    version=VERSION,
    packages=PACKAGES,
    package_data={"hueval_site": DATA},
    install_requires=[f"hueval=={VERSION}", *LIBRARIES],  # the same version, since the scores of both must agree
)
