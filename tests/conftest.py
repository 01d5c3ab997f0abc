"""What every test may ask for: golden files, and one command that accepts them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No test is about time: a busy machine is slow, not wrong.
settings.register_profile("obs", deadline=None)
settings.load_profile("obs")

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--accept`, which writes golden files instead of comparing with them."""
    parser.addoption("--accept", action="store_true", help="write the golden files; read the diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Return a function that compares text with a golden file, byte for byte."""
    accept = request.config.getoption("--accept")
    if accept and os.environ.get("CI"):
        pytest.fail("--accept is for people: CI only compares")

    def compare(path: Path, text: str) -> None:
        if accept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.exists(), f"{path} does not exist; `make accept` writes it"
        assert text == path.read_bytes().decode()

    return compare
