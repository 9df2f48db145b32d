"""Python processes that begin with the libraries loaded: each is a fork of one that has imported them.

Importing lm_eval, torch and datasets takes five to ten seconds of CPU, and lm-eval asks `pip list` in every run; tests
start hundreds of commands. Only libraries are shared: our own packages are imported by each process from its own path,
and it has its own environment, working folder, streams, session and signals. What a fork cannot have (another hash
seed, locale or hub, which the interpreter or a library reads when it starts) begins as usual.

`python -m tests.preloaded SOCKET` serves; `Preloaded` is a `subprocess.Popen` for it. A command that is started from a
shell goes through `CLIENT`.
"""

from __future__ import annotations

import atexit
import functools
import gc
import io
import json
import os
import runpy
import select
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module, reload
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.indexed import INDEX, OURS, index_once

LIBRARIES = (
    *("numpy", "scipy.stats", "sklearn.metrics", "pydantic", "pydantic_settings", "aiohttp", "jinja2", "rich.console"),
    *("pyarrow.parquet", "matplotlib.figure", "yaml", "torch", "transformers", "datasets", "huggingface_hub.hf_api"),
    *("lm_eval", "lm_eval.models", "lm_eval.tasks", "lm_eval.evaluator", "lm_eval.models.huggingface", "tqdm.auto"),
    *("lm_eval.models.openai_completions", "lm_eval.loggers", "rapidfuzz", "json_repair", "py3langid.langid"),
    *("django.core.management", "django.db.models", "django.forms", "django.template", "django.test", "fido2.server"),
    *(
        "django.contrib.staticfiles.storage",
        "django.core.cache.backends.db",
        "django.db.migrations.executor",
        "sqlparse",
    ),
    *("cryptography.x509", "gunicorn.app.base", "whitenoise.middleware", "django_tasks", "sqlparse"),
)
# Read by the interpreter or a library when it starts: a process whose value differs is no fork.
AT_START = ("PYTHON", "LC_", "LANG", "HF_ENDPOINT", "HF_TOKEN", "MPL", "LD_", "LMEVAL_", "TRANSFORMERS_", "MALLOC")
LAUNCHERS = ("accelerate.commands.launch", "torch.distributed.run")  # which what they start knows by its command line
PER_PROCESS = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
# Offline or not, and where the cache lies, is in constants of these.
CONSTANTS = ("huggingface_hub.constants", "datasets.config")
# Python in a shell, without its start: arguments are the socket and those of Python.
CLIENT = """
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
asked = json.dumps({"arguments": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ)}).encode()
socket.send_fds(server, [len(asked).to_bytes(8, "big")], [0, 1, 2])
server.sendall(asked)
replies = server.makefile()
replies.readline()
status = int(replies.readline())
os._exit(status if status >= 0 else 128 - status)
"""


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(AT_START) and name not in PER_PROCESS}


# Not of the one who runs the tests: as tests/conftest.py leaves it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "LMEVAL_", "TRANSFOR"))}


@functools.cache
def server() -> str:
    """The socket of this process's server, which is started when it is first asked for, and ends with this process."""
    folder = tempfile.TemporaryDirectory(prefix="preloaded-")
    atexit.register(folder.cleanup)
    path = str(Path(folder.name) / "socket")
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, path],
        cwd=Path(__file__).parents[1],
        env=ENVIRONMENT | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        stdin=subprocess.PIPE,  # it ends when this does
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return path


def shell_words() -> str:
    """What starts such a process in a shell."""
    return shlex.join([sys.executable, "-S", "-E", "-c", CLIENT, server()])


class Preloaded(subprocess.Popen[str]):
    """`subprocess.Popen` of `sys.executable` with some arguments, as a fork of the server; in a session of its own.

    Raises:
        OSError: the working folder does not exist.
    """

    def _execute_child(
        self, args: Sequence[str], _exe: Any, _pre: Any, _close: Any, _pass: Any, cwd: Any, env: Any, *more: Any
    ) -> None:  # type: ignore[override]
        assert args[0] == sys.executable
        stdin, _, _, stdout, _, stderr = more[3:9]
        environment = dict(os.environ if env is None else env)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.connect(server())
        asked = json.dumps(
            {"arguments": args[1:], "cwd": str(Path(cwd or ".").absolute()), "env": environment}
        ).encode()
        streams = [given if given != -1 else usual for given, usual in ((stdin, 0), (stdout, 1), (stderr, 2))]
        socket.send_fds(self.server, [len(asked).to_bytes(8, "big")], streams)
        self.server.sendall(asked)
        self.replies = self.server.makefile()
        self.pid = int(self.replies.readline())
        self._child_created = True
        self._close_pipe_fds(*more[3:9])  # type: ignore[attr-defined]

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:  # type: ignore[override]
        return self._await(0)

    def _wait(self, timeout: float | None) -> int:  # type: ignore[override]
        status = self._await(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def _await(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self.server], [], [], timeout)[0]:
            self.returncode = int(self.replies.readline() or -signal.SIGKILL)
            self.server.shutdown(socket.SHUT_WR)
            self.server.recv(1)  # nothing but its end: the server has freed the process id
        return self.returncode


def popen(command: Sequence[str], env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[str]:
    """A process of `sys.executable`: a fork of the server where it can be one."""
    environment = dict(os.environ if env is None else env)
    is_launcher = command[1:2] == ["-m"] and command[2] in LAUNCHERS
    is_fork = command[0] == sys.executable and not is_launcher and _at_start(environment) == _at_start(ENVIRONMENT)
    return (Preloaded if is_fork else subprocess.Popen)(command, env=environment, **options)


def run(
    command: Sequence[str], *, timeout: float, capture_output: bool = False, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` of such a process."""
    streams = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE) if capture_output else {}
    with popen(command, text=True, **streams, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(command, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def serve(path: str) -> dict[str, Any]:
    """Fork a process for each connection; returns what was asked of it in each of these only."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    waiting = selectors.DefaultSelector()
    waiting.register(listener, selectors.EVENT_READ)
    waiting.register(0, selectors.EVENT_READ)
    children: dict[int, tuple[int, socket.socket]] = {}  # file descriptor of the process → its id, who asked for it
    print("ready", flush=True)
    while True:
        for key, _ in waiting.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                size, streams, _, _ = socket.recv_fds(connection, 8, 3)
                asked = connection.makefile("rb").read(int.from_bytes(size, "big"))
                pid = os.fork()
                if not pid:
                    os.setsid()
                    for number, stream in enumerate(streams):
                        os.dup2(stream, number)
                    for opened in (listener, waiting, connection, *(other for _, other in children.values())):
                        opened.close()
                    for descriptor in (*streams, *children):
                        os.close(descriptor)
                    return dict(json.loads(asked))
                for stream in streams:
                    os.close(stream)
                connection.sendall(b"%d\n" % pid)
                process = os.pidfd_open(pid)
                children[process] = pid, connection
                waiting.register(process, selectors.EVENT_READ)
            elif key.fileobj == 0:
                os._exit(0)  # who started it has ended
            elif key.fd in children and key.data is None:
                pid, connection = children[key.fd]
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
                status = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
                with suppress(OSError):
                    connection.sendall(b"%d\n" % status)
                waiting.unregister(key.fd)
                waiting.register(connection, selectors.EVENT_READ, data=key.fd)
            else:  # it was told the status, and has closed: as after `waitpid`, the number can be another's
                process = key.data
                pid, connection = children.pop(process)
                waiting.unregister(connection)
                connection.close()
                os.close(process)
                os.waitpid(pid, 0)


def preload() -> None:
    """Import the libraries; what lm-eval asks of the machine and reads of our tasks in every run is so once."""
    from torch.utils import collect_env

    information = collect_env.get_pretty_env_info()
    collect_env.get_pretty_env_info = lambda: information
    for name in LIBRARIES:
        import_module(name)
    index_once()
    import_module(INDEX).TaskIndex.build([OURS])
    gc.collect()
    gc.freeze()


def become(arguments: Sequence[str], cwd: str, env: dict[str, str]) -> None:
    """Be the process that `python ARGUMENTS` would be."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        signal.signal(number, handler)
    sys.dont_write_bytecode = bool(env.get("PYTHONDONTWRITEBYTECODE"))
    raw = io.FileIO(1, "w", closefd=False)
    buffer: Any = raw if env.get("PYTHONUNBUFFERED") else io.BufferedWriter(raw)
    text = {"encoding": sys.stdout.encoding, "errors": sys.stdout.errors, "write_through": buffer is raw}
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(buffer, line_buffering=raw.isatty(), **text)
    for name in CONSTANTS:
        reload(sys.modules[name])
    sys.path[:1] = [part for part in env.get("PYTHONPATH", "").split(os.pathsep) if part]
    kind, *rest = arguments
    if kind == "-m":
        sys.path.insert(0, cwd)
        sys.argv = ["-m", *rest[1:]]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *rest[1:]]
        sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), sys.modules["__main__"].__dict__)
    else:
        sys.path.insert(0, str(Path(kind).absolute().parent))
        sys.argv = [kind, *rest]
        runpy.run_path(kind, run_name="__main__")


def end(code: object) -> None:
    """End as the interpreter does, but without freeing each object of the libraries: that takes a second."""
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # closed by the program, or by who reads
        code = code or (0 if sys.stdout.closed else 120)
    os._exit(code)


if __name__ == "__main__":
    preload()
    try:
        become(**serve(sys.argv[1]))
        code: Any = 0
    except SystemExit as stop:
        code = stop.code or 0
    end(code)
