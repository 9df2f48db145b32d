"""The errors that a user can fix, and every other public error of ours by its file, as one tree.

::

    Exception
    ├── HuevalError                        hueval_metrics/errors.py
    │   ├── DataError                      hueval_metrics/errors.py
    │   │   ├── FileFaultError             hf_datasets/repo.py
    │   │   ├── MissingError               hf_datasets/repo.py
    │   │   └── WrongFileError             hf_datasets/fetch.py
    │   ├── InputError                     hueval_metrics/errors.py
    │   │   ├── ArchiveError               hueval_metrics/submission/archive.py
    │   │   ├── LanguageFileError          hueval_metrics/languages/load.py
    │   │   ├── OptionError                hueval_metrics/errors.py
    │   │   ├── OtherItemsError            hueval_metrics/scoring/documents.py
    │   │   └── ScoringError               hueval_metrics/scoring/score.py
    │   ├── EvaluationError                hueval_metrics/harness/evaluate.py
    │   └── SiteError                      hueval_metrics/submission/client.py
    ├── UnavailableError                   hf_datasets/fetch.py
    │   ├── NotThereError                  hf_datasets/fetch.py
    │   └── UnreachableError               hf_datasets/fetch.py
    ├── JsonFaultError                     hf_datasets/json_stream.py
    ├── JudgeError                         hueval_metrics/judge/errors.py
    │   ├── JudgeUnusableError             hueval_metrics/judge/errors.py
    │   │   └── BudgetExceededError        hueval_metrics/judge/errors.py
    │   ├── NotAskedError                  hueval_metrics/judge/errors.py
    │   ├── NoReplyError                   hueval_metrics/judge/errors.py
    │   │   └── ReplyTooLargeError         hueval_metrics/judge/errors.py
    │   ├── AttemptError                   hueval_metrics/judge/errors.py
    │   │   ├── UnsupportedParameterError  hueval_metrics/judge/errors.py
    │   │   ├── RateLimitError             hueval_metrics/judge/errors.py
    │   │   │   └── OverloadedError        hueval_metrics/judge/errors.py
    │   │   └── TransientError             hueval_metrics/judge/errors.py
    │   │       ├── DeclinedError          hueval_metrics/judge/errors.py
    │   │       ├── ConnectError           hueval_metrics/judge/errors.py
    │   │       ├── ReadTimeoutError       hueval_metrics/judge/errors.py
    │   │       └── ServerError            hueval_metrics/judge/errors.py
    │   └── BatchUnavailableError          hueval_metrics/judge/batch/api.py
    │       ├── NotFoundError              hueval_metrics/judge/batch/api.py
    │       └── RedirectError              hueval_metrics/judge/batch/api.py
    ├── NewerFormatError                   hueval_metrics/judge/cache/file.py
    ├── SourceError                        hueval_metrics/judge/loop.py
    ├── ApiError                           leaderboard/hueval_site/api/errors.py
    ├── LabelsChangedError                 leaderboard/hueval_site/scoring/score.py
    ├── SeasonClosedError                  leaderboard/hueval_site/scoring/score.py
    ├── UnansweredError                    leaderboard/hueval_site/scoring/score.py
    ├── ActError                           leaderboard/hueval_site/submissions/versions.py
    │   ├── PublishError                   leaderboard/hueval_site/submissions/publish.py
    │   └── ChangedError                   leaderboard/hueval_site/submissions/versions.py
    ├── RefusedError                       leaderboard/hueval_site/submissions/receive.py
    │   └── NotStoredError                 leaderboard/hueval_site/submissions/receive.py
    └── StateError                         leaderboard/hueval_site/submissions/states.py
    ValueError
    └── UnreadableError                    hueval_metrics/traces/segments/read.py
    BaseException
    └── StoppedError                       leaderboard/hueval_site/scoring/stop.py
    KeyboardInterrupt
    └── Terminated                         hueval_metrics/signals.py

An error that one room raises and others need not know stays in that room. A base of Python's has no file beside it.
"""

from __future__ import annotations

import re

from hueval_metrics.one_line import printable


class HuevalError(Exception):
    """A failure that the user can fix. Its text is one line: what is wrong, where, and how to fix it.

    The names and values in it may come from anybody's files, so it holds nothing that a terminal acts on.
    """

    def __init__(self, message: object) -> None:
        super().__init__(printable(message))


class DataError(HuevalError):
    """The benchmark data are missing, damaged or not what was expected."""


class InputError(HuevalError):
    """Predictions, samples, results or options given by the user are not usable."""


class OptionError(InputError):
    """The value of one option is not usable. The message starts with the option's name in Python.

    Args:
        message: the message.
        flag: the option on the command line, where it has another name there.

    Attributes:
        on_command_line: the message for a user of the command.

    >>> OptionError("all_pairs 3: expected a bool").on_command_line
    '--all-pairs 3: expected a bool'
    """

    def __init__(self, message: str, flag: str | None = None) -> None:
        super().__init__(message)
        name = re.split("[^a-z_]", message, maxsplit=1)[0]
        self.on_command_line = printable((flag or f"--{name.replace('_', '-')}") + message.removeprefix(name))
