"""Where the process starts: two commands go straight to their work, all else through the full command line.

A linter is started for each file and each commit. Importing the command-line framework takes longer than reading a
hundred thousand series, so that `lint` reads its own arguments (obs/cli/lint_arguments.py). The sidecar would carry the
framework for the rest of its life.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable

from obs.errors import ObsError


def main() -> None:
    """Run the command line; the process ends here, always with one of the documented exit codes."""
    if sys.argv[1:2] == ["lint"]:
        _lint()
    elif sys.argv[1:2] == ["sidecar"]:
        from obs.cli.sidecar import sidecar

        sys.exit(guarded(lambda: sidecar(sys.argv[2:])))
    else:
        from obs.cli.main import app

        sys.exit(guarded(app))


def _lint() -> None:
    """Run `obs lint` and end at once: no cycles are looked for, and nothing is taken apart that ends anyway."""
    gc.disable()
    from obs.cli.lint import run

    code = guarded(lambda: run(sys.argv[2:]))
    sys.stderr.flush()
    os._exit(code)  # a hundred thousand series take longer to free than to judge; standard output is flushed


def guarded(command: Callable[[], int | None]) -> int:
    """Run a command and return its exit code; an ObsError is a line on the standard error for each of its problems."""
    try:
        code = command() or 0
        sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except ObsError as error:
        for problem in error.problems:
            print(f"obs: {problem}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # `obs … | head` closed its end: not our business
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return code
