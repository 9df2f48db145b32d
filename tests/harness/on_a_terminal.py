"""Run a command on a terminal of so many columns, and print what it was sent: `on_a_terminal.py 80 COMMAND…`."""

from __future__ import annotations

import os
import pty
import sys
import termios


def main() -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, int(sys.argv[1])))
    if not (child := os.fork()):
        os.close(ours)
        for number in (0, 1, 2):
            os.dup2(theirs, number)
        os.execvp(sys.argv[2], sys.argv[2:])
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the command has ended
            break
    os.waitpid(child, 0)
    sys.stdout.write(shown.decode())


if __name__ == "__main__":
    main()
