"""Programs that pip cannot install, asked for in one place."""

from __future__ import annotations

import os
import shutil

import pytest


def require(program: str) -> str:
    """Return the path of `program`.

    Without it the test is skipped with a reason, and fails where OBS_REQUIRE_TOOLS=1 says that it must be there.
    """
    found = shutil.which(program)
    if found:
        return found
    reason = (
        f"{program} is not installed (Debian: apt-get install prometheus prometheus-alertmanager chromium)"
    )
    if os.environ.get("OBS_REQUIRE_TOOLS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
