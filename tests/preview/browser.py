"""A headless Chromium, spoken to in the WebDriver protocol (W3C) and in Chromium's own for sizes and logs."""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.tools import require

PATIENCE = 60  # seconds until a page must be drawn
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@dataclass
class Browser:
    """One window."""

    base: str
    session: str

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send one command of the session and return its value."""
        return _call(f"{self.base}/session/{self.session}{path}", method, body)

    def resize(self, width: int, height: int) -> None:
        """Give the page a size in pixels; narrow ones are a phone's."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call(
            "POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
        )

    def open(self, url: str) -> None:
        """Load a page and wait until it says that it is drawn."""
        self.call("POST", "/url", {"url": url})
        self.wait()

    def wait(self) -> None:
        """Wait until the page says that it is drawn."""
        until = time.monotonic() + PATIENCE
        while self.run("return document.body.dataset.ready") != "true":
            assert time.monotonic() < until, self.run("return document.body.innerText")
            time.sleep(0.05)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript in the page and return what it returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, key: str) -> None:
        """Press one key on what has the focus."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "POST",
                "/actions",
                {"actions": [{"type": "key", "id": "keys", "actions": [{"type": kind, "value": key}]}]},
            )

    def hover(self, selector: str) -> None:
        """Move the pointer to the middle of the first element of a selector."""
        at = self.run(
            "const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); "
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]",
            selector,
        )
        move = {"type": "pointerMove", "duration": 50, "x": round(at[0]), "y": round(at[1])}
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def screenshot(self, file: Path) -> None:
        """Write a PNG of the whole page."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self) -> list[str]:
        """Return what the console has said since it was last asked."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]


def _call(url: str, method: str, body: dict[str, Any] | None = None) -> Any:
    data = json.dumps(body or {}).encode() if method == "POST" else None
    request = urllib.request.Request(
        url, data=data, method=method, headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
        return json.load(reply)["value"]


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser with a profile of its own; skip the test where there is none."""
    chromium, driver = require("chromium"), require("chromedriver")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        subprocess.Popen(
            [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process,
    ):
        base = f"http://127.0.0.1:{port}"
        try:
            _until_up(base)
            options = {
                "binary": chromium,
                "args": [*_FLAGS, f"--user-data-dir={profile}", "--window-size=1280,1000"],
            }
            wanted = {
                "browserName": "chrome",
                "goog:chromeOptions": options,
                "goog:loggingPrefs": {"browser": "ALL"},
            }
            session = _call(f"{base}/session", "POST", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
            yield Browser(base, session)
            _call(f"{base}/session/{session}", "DELETE")
        finally:
            process.terminate()


def _until_up(base: str) -> None:
    for _ in range(PATIENCE * 10):
        try:
            _call(f"{base}/status", "GET")
        except OSError:
            time.sleep(0.1)
        else:
            return
