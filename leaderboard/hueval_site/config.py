"""The settings of a site, from environment variables `HUEVAL_SITE_*` and a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from hueval_metrics.errors import InputError

PREFIX = "HUEVAL_SITE_"
MAIL_PORTS: Mapping[str, int] = {"smtp": 25, "smtps": 465, "smtp+starttls": 587}  # where a URL names none


class Config(BaseSettings):
    """The settings of one site; a path that is not given lies in `dir`.

    Attributes:
        dir: the folder of the site: database, uploads, public data, labels, secret key, static files.
        url: where readers reach the site; its host is the only one answered, and https makes cookies secure and
            redirects http. Empty: http://127.0.0.1 with the port.
        database: `sqlite` (a file in `dir`) or a URL `postgresql://USER:PASSWORD@HOST:PORT/NAME`.
        secret_key: of Django; empty: that in the file `secret-key` of `dir`.
        data: the public data, one folder a family as `HUEVAL_DATA_DIR` has them; empty: `dir`/data.
        labels: the same with the hidden labels. Only the worker's user can read it; empty: `dir`/labels.
        uploads: `file` (`dir`/uploads) or a URL `s3://BUCKET/PREFIX`; key and endpoint come from boto3's own variables.
        upload_mb: the most MiB of one upload, and of all files of an archive together.
        mail: `file` (`dir`/mail), `console` or a URL `smtp://USER:PASSWORD@HOST:PORT` (`smtps://` for TLS,
            `smtp+starttls://` for STARTTLS); without a port 25, 465 and 587.
        mail_from: the sender.
        workers, threads: of gunicorn.
        bind, port: where `serve` listens; 0.0.0.0 for every address of the machine.
        boards: the tasks that have a board, with commas between them and `*` for any text, such as `kviz_*`; empty: all
            that the installed families declare.
        hosts: further host names that are answered.
        trusted_proxy: whether a reverse proxy in front sets X-Forwarded-For and -Proto.
        hsts_subdomains: whether browsers that have seen the site over https ask its subdomains by https alone, too, for
            a year: only where no subdomain is on http.
        metrics_token: what Prometheus sends as a bearer token to read `/metrics`, 20 characters or more; empty: nobody
            can read it.
        admits_all: whether new teams are scored on hidden labels, and by a judge, at once; otherwise staff admit each,
            and until then its files are checked alone.
        first_numbers: how many teams may be told their first score of a board with hidden labels in 30 days; the others
            wait.
        approvals: how many members of staff must agree before a row is public, 1 or 2.
        language: of pages for readers who have not chosen, `hu` or `en`.
        title: the site's name on its pages.
        imprint: who runs the site, as Markdown-free text, for the imprint page.
        submission_usd, month_usd: the most that judging one submission, and all of a month, may cost; None: judged
            tasks are not taken.
        lease_s: after how long without a heartbeat another worker takes over, in seconds.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", env_ignore_empty=True)

    dir: Path = Path("site")
    url: str = ""
    database: str = "sqlite"
    secret_key: SecretStr = SecretStr("")
    data: Path | None = None
    labels: Path | None = None
    uploads: str = "file"
    upload_mb: Annotated[int, Field(ge=1, le=1000)] = 100
    mail: SecretStr = SecretStr("file")
    mail_from: str = "hueval@localhost"
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    threads: Annotated[int, Field(ge=1, le=64)] = 4
    bind: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 8000
    boards: Annotated[tuple[str, ...], NoDecode] = ()
    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    trusted_proxy: bool = False
    hsts_subdomains: bool = False
    metrics_token: SecretStr = SecretStr("")
    admits_all: bool = False
    first_numbers: Annotated[int, Field(ge=0)] = 5
    approvals: Literal[1, 2] = 1
    language: Literal["hu", "en"] = "hu"
    title: str = "hueval"
    imprint: str = ""
    submission_usd: Annotated[float, Field(ge=0)] | None = None
    month_usd: Annotated[float, Field(ge=0)] | None = None
    lease_s: Annotated[float, Field(gt=0)] = 60.0

    @field_validator("boards", "hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("url", "database", "mail")
    @classmethod
    def _has_a_port(cls, value: str | SecretStr) -> str | SecretStr:
        text = value if isinstance(value, str) else value.get_secret_value()
        try:
            urlsplit(text).port  # noqa: B018  raises where it is none
        except ValueError:
            raise ValueError("its port is no number from 0 to 65535") from None
        return value

    @field_validator("url")
    @classmethod
    def _is_url(cls, value: str) -> str:
        if not value:
            return value
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError("expected http://HOST[:PORT] or https://HOST[:PORT]")
        return value.rstrip("/")

    @field_validator("database")
    @classmethod
    def _is_database(cls, value: str) -> str:
        parts = urlsplit(value)
        if value != "sqlite" and (parts.scheme != "postgresql" or not parts.hostname or not parts.path.strip("/")):
            raise ValueError("expected sqlite or postgresql://USER:PASSWORD@HOST:PORT/NAME")
        return value

    @field_validator("uploads")
    @classmethod
    def _is_store(cls, value: str) -> str:
        parts = urlsplit(value)
        if value != "file" and (parts.scheme != "s3" or not parts.netloc):
            raise ValueError("expected file or s3://BUCKET/PREFIX")
        return value

    @field_validator("mail")
    @classmethod
    def _is_mail(cls, value: SecretStr) -> SecretStr:
        parts = urlsplit(value.get_secret_value())
        if value.get_secret_value() not in ("file", "console") and not (parts.scheme in MAIL_PORTS and parts.hostname):
            raise ValueError("expected file, console or smtp://USER:PASSWORD@HOST:PORT")
        return value

    @field_validator("metrics_token")
    @classmethod
    def _is_long(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not re.fullmatch(r"[!-~]{20,200}", value.get_secret_value()):
            raise ValueError(
                "expected 20 to 200 characters of ASCII without blanks, such as `openssl rand -hex 24` prints"
            )
        return value

    @model_validator(mode="after")
    def _fill_url(self) -> Config:
        self.url = self.url or f"http://127.0.0.1:{self.port}"
        return self

    @property
    def is_https(self) -> bool:
        """Whether readers reach the site by https."""
        return self.url.startswith("https://")

    @property
    def upload_bytes(self) -> int:
        """The most bytes of one upload, and of all files of an archive together."""
        return self.upload_mb * 2**20

    @property
    def mail_server(self) -> tuple[str, int]:
        """Host and port of a mail server that `mail` names."""
        parts = urlsplit(self.mail.get_secret_value())
        return parts.hostname or "", parts.port or MAIL_PORTS[parts.scheme]

    @property
    def secret_file(self) -> Path:
        """The file of the secret key, where the environment has none."""
        return self.dir / "secret-key"

    @property
    def sqlite_file(self) -> Path:
        """The file of the SQLite database."""
        return self.dir / "site.sqlite3"

    @property
    def uploads_dir(self) -> Path:
        """The folder of the uploads, where they are kept as files."""
        return self.dir / "uploads"

    @property
    def static_dir(self) -> Path:
        """The folder of the static files."""
        return self.dir / "static"

    @property
    def mail_dir(self) -> Path:
        """The folder of the mails, where they are kept as files."""
        return self.dir / "mail"

    @property
    def temp_dir(self) -> Path:
        """Where uploads lie while they come and are checked: on the disk of the site, as they may be large."""
        return self.dir / "tmp"

    @property
    def data_dir(self) -> Path:
        """The folder of the public data."""
        return self.data or self.dir / "data"

    @property
    def labels_dir(self) -> Path:
        """The folder of the hidden labels."""
        return self.labels or self.dir / "labels"


def variables() -> list[str]:
    """The names of all variables of a site."""
    return [PREFIX + name.upper() for name in Config.model_fields]


def config() -> Config:
    """The settings of this process.

    Raises:
        InputError: a variable has a value out of range. Values are not shown: some are secrets.
    """
    try:
        return Config()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = PREFIX + "_".join(map(str, first["loc"])).upper()
        raise InputError(
            f"{name}: {first['msg'].removeprefix('Value error, ')}. Set it otherwise, or unset it"
        ) from None
