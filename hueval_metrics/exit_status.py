"""The exit statuses of every `hueval` command; `hueval --help` and docs/reference/commands.md list them."""

from __future__ import annotations

DONE = 0
USER_ERROR = 1
USAGE = 2  # argparse's own
INCOMPLETE = 3
# 128 + the signal's number, as a shell reports a program that the signal ended.
INTERRUPTED = 130
CLOSED_PIPE = 141
TERMINATED = 143

MEANINGS = {
    DONE: "done as asked; deferred verdicts, those that `lexical` cannot give, and files left out are named on stderr",
    USER_ERROR: "you can fix it: one line says how, and which results were written elsewhere or in part, if any",
    USAGE: "wrong usage",
    INCOMPLETE: "results are written, but verdicts asked of a judge are missing; stderr says which are asked for again",
    INTERRUPTED: "stopped by Ctrl-C (SIGINT); files are as they were",
    CLOSED_PIPE: "the program that read the output closed it (SIGPIPE)",
    TERMINATED: "stopped by SIGTERM; files are as they were",
}
