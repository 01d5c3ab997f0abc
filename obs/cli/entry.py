"""Where the process starts: two commands go straight to their work, all else through the full command line.

A linter is started for each file and each commit. Importing the command-line framework takes longer than reading a
hundred thousand series, so that `lint` reads its own arguments (obs/cli/lint_arguments.py). The sidecar would carry the
framework for the rest of its life.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from obs.errors import ObsError


def main() -> None:
    """Run the command line; the process ends here, always with one of the documented exit codes."""
    if sys.argv[1:2] == ["lint"]:
        from obs.cli.lint import run

        guarded(lambda: run(sys.argv[2:]))
    elif sys.argv[1:2] == ["sidecar"]:
        from obs.cli.sidecar import sidecar

        guarded(lambda: sidecar(sys.argv[2:]))
    else:
        from obs.cli.main import app

        guarded(app)


def guarded(command: Callable[[], int | None]) -> None:
    """Run a command and end the process with what it returns; an ObsError is a line for each of its problems."""
    try:
        sys.exit(command())
    except ObsError as error:
        for problem in error.problems:
            print(f"obs: {problem}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # `obs … | head` closed its end: not our business
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
