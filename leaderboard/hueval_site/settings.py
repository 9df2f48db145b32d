"""Django's settings, made of `config.Config`."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _
from whitenoise.compress import Compressor

from hueval_site.config import config

CONFIG = config()
HERE = Path(__file__).parent
IS_SECURE = CONFIG.is_https
HOST = urlsplit(CONFIG.url).hostname
LOOPBACK = ("127.0.0.1", "localhost")


def _secret_key() -> str:
    given, file = CONFIG.secret_key.get_secret_value(), CONFIG.secret_file
    return given or (file.read_text(encoding="ascii").strip() if file.is_file() else "")


def _database() -> dict[str, Any]:
    if CONFIG.database == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": CONFIG.sqlite_file,
            # WAL: readers do not wait for a writer. IMMEDIATE: two writers wait for one another from the start of their
            # transactions, which is also what serialises claims of workers: SQLite has no row locks.
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
            },
        }
    parts = urlsplit(CONFIG.database)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.strip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 5},
    }


def _uploads() -> dict[str, Any]:
    if CONFIG.uploads == "file":
        return {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {
                "location": CONFIG.uploads_dir,
                "file_permissions_mode": 0o640,
                "directory_permissions_mode": 0o750,
            },
        }
    from boto3.s3.transfer import TransferConfig
    from botocore.config import Config

    parts = urlsplit(CONFIG.uploads)
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            "file_overwrite": False,
            "default_acl": None,
            "querystring_auth": True,
            "max_memory_size": 2**20,  # of a file that is read; the rest goes to the disk
            "transfer_config": TransferConfig(max_concurrency=2),
            # A store that is down is said so at once, and does not hold the threads of the web server.
            "client_config": Config(connect_timeout=3, read_timeout=20, retries={"total_max_attempts": 2}),
        },
    }


def _mail() -> dict[str, Any]:
    given = CONFIG.mail.get_secret_value()
    if given in ("file", "console"):
        backend = {"file": "filebased", "console": "console"}[given]
        return {
            "EMAIL_BACKEND": f"django.core.mail.backends.{backend}.EmailBackend",
            "EMAIL_FILE_PATH": CONFIG.mail_dir,
        }
    parts = urlsplit(given)
    host, port = CONFIG.mail_server
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": host,
        "EMAIL_PORT": port,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+starttls",
        "EMAIL_TIMEOUT": 10,
    }


SECRET_KEY = _secret_key()
DEBUG = False
ALLOWED_HOSTS = [HOST, *(LOOPBACK if HOST in LOOPBACK else ()), *CONFIG.hosts]
CSRF_TRUSTED_ORIGINS = [CONFIG.url]
ROOT_URLCONF = "hueval_site.urls"
WSGI_APPLICATION = "hueval_site.wsgi.application"
DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STORAGES = {
    "default": _uploads(),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
globals().update(_mail())
DEFAULT_FROM_EMAIL = SERVER_EMAIL = CONFIG.mail_from

INSTALLED_APPS = [
    "hueval_site.accounts",
    "hueval_site.submissions",
    "hueval_site.scoring",
    "hueval_site.pages",
    "django.contrib.admin.apps.SimpleAdminConfig",  # its templates; what other apps register is nowhere shown
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",  # templates of allauth.mfa
    "django.forms",  # templates of fields, for FORM_RENDERER
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "auditlog",
    "csp",
    "django_htmx",
    "django_tasks_db",
]
MIDDLEWARE = [
    "hueval_site.middleware.head",
    "hueval_site.middleware.further_headers",
    "hueval_site.middleware.health",
    "hueval_site.middleware.client_address",
    "hueval_site.api.errors.json_errors",
    "hueval_site.middleware.no_nul",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "hueval_site.pages.cache.KeptPages",  # a kept page has the headers of all that follows
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "hueval_site.middleware.upload_limit",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "auditlog.middleware.AuditlogMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "pages" / "templates"],  # before allauth's own
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "hueval_site.pages.context.site",
            ],
        },
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # finds our div.html

# Accounts
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ACCOUNT_ADAPTER = "hueval_site.pages.adapter.Adapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True  # the adapter does the work of such a mail, and sends none
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of changes of password, address and second factor
ACCOUNT_CHANGE_EMAIL = True  # one address an account; a new one replaces it when it is verified
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if IS_SECURE else "http"
ACCOUNT_LOGOUT_REDIRECT_URL = "start"
ALLAUTH_TRUSTED_PROXY_COUNT = int(CONFIG.trusted_proxy)
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = CONFIG.title
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not IS_SECURE  # browsers themselves allow no host but localhost
AUDITLOG_DISABLE_REMOTE_ADDR = True  # who and when is enough
LOGIN_REDIRECT_URL = "mine"
LOGIN_URL = "account_login"

# What limits of rates and cached boards need to be one for all processes.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "TIMEOUT": 3600,
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

# Languages
LANGUAGE_CODE = CONFIG.language
LANGUAGES = [("hu", _("Hungarian")), ("en", _("English"))]
LOCALE_PATHS = [HERE / "locale", HERE / "locale_allauth"]  # before those of packages
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Static files
STATIC_URL = "/static/"
STATIC_ROOT = CONFIG.static_dir
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")  # two thirds of the time of `init`

# Requests
DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 100
FILE_UPLOAD_MAX_MEMORY_SIZE = 2**16  # larger files go to the disk as they come
FILE_UPLOAD_TEMP_DIR = CONFIG.temp_dir
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = IS_SECURE
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
if IS_SECURE:  # browsers take such a name from the host itself alone, over https
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME, LANGUAGE_COOKIE_NAME = (
        f"__Host-{name}" for name in ("sessionid", "csrftoken", "language")
    )
SECURE_HSTS_SECONDS = 31_536_000 if IS_SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_SECURE and CONFIG.hsts_subdomains
# The browsers' preload list is the choice of who owns the domain. So is W005: with subdomains in HSTS, a site at
# example.org would cut off every http://*.example.org for a year, and this site is not asked about those.
SILENCED_SYSTEM_CHECKS = ["security.W021", *([] if CONFIG.hsts_subdomains else ["security.W005"])]
SECURE_SSL_REDIRECT = IS_SECURE
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if CONFIG.trusted_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {"seldom": {"()": "hueval_site.outages.Seldom", "statuses": (400, 503, 507)}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "botocore": {"level": "WARNING"},
        "django.request": {"filters": ["seldom"]},
        "django.security.DisallowedHost": {"filters": ["seldom"]},
    },
}
