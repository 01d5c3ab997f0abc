"""What the image is built from."""

from __future__ import annotations

import re
import tomllib

from tests.home import REPO

LOCK = (REPO / "requirements.lock").read_text()
CONTAINERFILE = (REPO / "Containerfile").read_text()


def test_every_dependency_is_locked_with_hashes() -> None:
    """What the package needs is in the lock file, and nothing in it goes unchecked."""
    declared = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["dependencies"]
    names = {re.split(r"[<>=\s;\[]", one)[0].lower() for one in declared}
    pins = re.findall(
        r"^([a-z0-9-]+)==\S+.*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", LOCK, re.MULTILINE
    )
    assert names <= set(pins)
    assert len(pins) == len(re.findall(r"^[a-z0-9-]+==", LOCK, re.MULTILINE))


def test_the_image_holds_what_the_wheel_holds() -> None:
    """Each data folder of the wheel is copied to the same place."""
    include = tomllib.loads((REPO / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    for source, place in include["force-include"].items():
        assert f"COPY {source} /opt/obs/{place}\n" in CONTAINERFILE


def test_the_image_runs_as_nobody() -> None:
    """No root, no compiler, no shell script in front."""
    assert "\nUSER 65532:65532\n" in CONTAINERFILE
    assert 'ENTRYPOINT ["python", "-m", "obs"]' in CONTAINERFILE
    assert "apt-get" not in CONTAINERFILE
    assert "--require-hashes" in CONTAINERFILE
