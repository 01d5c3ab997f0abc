"""Every board as a person sees it: a real fleet, a real Prometheus, a real browser.

OBS_SCREENSHOTS names a folder to keep the pictures in.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.preview.browser import Browser, browser
from tests.tools import require

pytestmark = [pytest.mark.tools, pytest.mark.slow]

FILLING = 75  # seconds until every window of every panel holds data
BOARDS = (
    "obs-fleet-overview",
    "obs-autoscaling",
    "obs-cost",
    "obs-reliability",
    "obs-dependencies",
    "obs-lifecycle",
    "obs-conformance",
    "obs-instance",
)
UNFED = {  # panels no process of the demonstration feeds, and why
    "Run duration": "provisional",
    "Tool call duration": "provisional",
    "Tool calls per second": "provisional",
    "Tokens each second": "provisional",
    "Intelligence call duration": "provisional",
    "Intelligence latency": "provisional",
    "MCP servers up by server": "provisional",
}


@dataclass
class Demo:
    """A running `obs demo`."""

    process: subprocess.Popen[str]
    boards: str
    prometheus: str
    fleet: str


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    """Run the demonstration in steady until its boards are full."""
    require("prometheus")
    command = [sys.executable, "-m", "obs", "demo", "--listen", "127.0.0.1:0", "--scenario", "steady"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        said: dict[str, str] = {}
        assert process.stdout is not None
        while "fleet" not in said:
            word, _, rest = process.stdout.readline().partition(" ")
            assert word, process.communicate()[1]
            said[word] = rest.strip()
        broken = (
            f"{said['fleet']}mutant/value-outside-domain?agent=2"  # so that the checker has something to say
        )
        urllib.request.urlopen(urllib.request.Request(broken, method="PUT"), timeout=20).close()
        time.sleep(FILLING)
        yield Demo(
            process, said["boards"].rstrip("/"), said["prometheus"].removesuffix("/alerts"), said["fleet"]
        )
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (0, "")
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(said["prometheus"], timeout=5)


@pytest.fixture(scope="module")
def window(demo: Demo) -> Iterator[Browser]:
    """Return a browser."""
    with browser() as made:
        yield made


def _kept(name: str) -> Path | None:
    folder = os.environ.get("OBS_SCREENSHOTS")
    return Path(folder) / f"{name}.png" if folder else None


def _open_all(window: Browser, demo: Demo, uid: str, width: int, theme: str) -> None:
    """Load a board with every row open, as high as it is."""
    window.resize(width, 1000)
    address = f"{demo.boards}/d/{uid}?from=now-5m&to=now&refresh=0"
    window.open(address)
    window.run("localStorage.setItem('obs-theme', arguments[0])", theme)
    rows = window.run("return [...document.querySelectorAll('h2 button')].map(b => b.dataset.focus.slice(4))")
    window.open(address + "".join(f"&open={row}" for row in rows))
    height = window.run("return document.documentElement.scrollHeight")
    window.resize(width, min(int(height), 8_000))
    time.sleep(0.5)  # charts follow a resize in the next frame


_STATES = (
    "return [...document.querySelectorAll('.panel')].map(p => "
    "[p.querySelector('h3')?.textContent ?? '', p.dataset.kind, p.dataset.state ?? 'none'])"
)
_BLANK = """
return [...document.querySelectorAll('.panel[data-state=drawn] .plot canvas')].filter(canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  return !pixels.some((value, index) => index % 4 === 3 && value > 0);
}).map(canvas => canvas.closest('.panel').querySelector('h3').textContent);
"""


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("uid", BOARDS)
def test_every_panel_of_a_board_is_drawn(demo, window, uid, theme):
    """At 1280 pixels each panel has data, no canvas is blank, and the console is silent."""
    _open_all(window, demo, uid, 1280, theme)
    states = window.run(_STATES)
    assert len(states) > 5
    assert {title for title, _, state in states if state != "drawn"} <= set(UNFED)
    assert window.run(_BLANK) == []
    assert window.complaints() == []
    if file := _kept(f"{uid}-{theme}"):
        window.screenshot(file)


@pytest.mark.parametrize("uid", BOARDS)
def test_a_board_fits_a_phone(demo, window, uid):
    """At 390 pixels nothing is wider than the screen and everything is drawn."""
    _open_all(window, demo, uid, 390, "dark")
    assert window.run("return document.documentElement.scrollWidth") <= 390
    assert {title for title, _, state in window.run(_STATES) if state != "drawn"} <= set(UNFED)
    assert window.complaints() == []
    if file := _kept(f"{uid}-390"):
        window.screenshot(file)


def test_it_says_that_it_is_a_preview(demo, window):
    """The page says what it is not."""
    window.open(f"{demo.boards}/d/obs-cost?refresh=0")
    assert "not Grafana's renderer" in window.run("return document.querySelector('[role=note]').textContent")


def test_a_chart_answers_the_pointer_and_the_keys(demo, window):
    """Hovering shows a tooltip; End takes the cursor of a focused chart to the last values, as arrow keys move it."""
    window.resize(1280, 1000)
    window.open(f"{demo.boards}/d/obs-fleet-overview?from=now-5m&to=now&refresh=0")
    chart = "[data-kind=timeseries] .u-over"
    shown = "return document.querySelector('[data-kind=timeseries] .tip').hidden ? '' : arguments[0]"
    window.hover(chart)
    assert window.run(shown, "shown") == "shown"
    window.hover("h1")
    window.run("document.querySelector('[data-kind=timeseries] .uplot').focus()")
    window.press("\ue010")  # End
    rows = window.run(
        "return document.querySelectorAll('[data-kind=timeseries] .tip:not([hidden]) .tip-row').length"
    )
    assert rows > 0


def test_a_series_can_be_hidden_from_the_legend(demo, window):
    """Pressing a name in the legend hides its series and says so to a screen reader."""
    window.open(f"{demo.boards}/d/obs-fleet-overview?from=now-5m&to=now&refresh=0")
    press = "const b = document.querySelector('.legend .series'); b.click();"
    window.run(press)
    assert (
        window.run("return document.querySelector('.legend .series').getAttribute('aria-pressed')") == "false"
    )
    window.run(press)
    assert (
        window.run("return document.querySelector('.legend .series').getAttribute('aria-pressed')") == "true"
    )


def test_a_chart_can_be_read_as_a_table(demo, window):
    """The button of a chart swaps it for its figures, and keeps the focus."""
    window.open(f"{demo.boards}/d/obs-fleet-overview?from=now-5m&to=now&refresh=0")
    window.run(
        "document.querySelector('[data-kind=timeseries] .tool').focus(); document.activeElement.click()"
    )
    panel = "document.querySelector('[data-kind=timeseries]')"
    assert window.run(f"return {panel}.querySelectorAll('tbody tr').length") > 0
    assert window.run(f"return {panel}.contains(document.activeElement)")


def test_a_choice_of_variables_and_time_is_in_the_address(demo, window):
    """What a person chooses can be sent to another: it is part of the URL, as in Grafana."""
    window.open(f"{demo.boards}/d/obs-fleet-overview?from=now-5m&to=now&refresh=0")
    window.run(
        "const d = [...document.querySelectorAll('details.picker')].find(d => /Instance/.test(d.textContent)); "
        "d.open = true; d.querySelectorAll('input[type=checkbox]')[1].click(); d.open = false"
    )
    window.run("const s = document.querySelector('select[aria-label=Time]'); s.value = '15m'; "
               "s.dispatchEvent(new Event('change'))")  # fmt: skip
    time.sleep(0.5)
    window.wait()
    address = window.run("return location.search")
    assert "from=now-15m" in address
    assert "var-instance=" in address


def test_a_refresh_takes_nothing_away(demo, window):
    """A list that is open stays open while the board refreshes itself; closed, the board goes on."""
    window.open(f"{demo.boards}/d/obs-fleet-overview?from=now-5m&to=now&refresh=1")
    window.run(
        "document.querySelector('details.picker').open = true; window.before = document.querySelector('main')"
    )
    time.sleep(3)
    assert window.run("return document.querySelector('main') === window.before")
    window.run("document.querySelector('details.picker').open = false")
    time.sleep(3)
    window.wait()
    assert window.run("return document.querySelector('main') !== window.before")


def test_every_control_has_a_name(demo, window):
    """Buttons, selects, inputs and charts say what they are without being seen; headings are in order."""
    _open_all(window, demo, "obs-fleet-overview", 1280, "dark")
    nameless = window.run(
        "return [...document.querySelectorAll('button, select, input, summary, [role=img]')].filter(e => "
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim()))"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert nameless == []
    levels = window.run("return [...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels) if before != 1)


def test_a_file_holds_every_board(demo, window, tmp_path):
    """`--out` writes one file that draws all boards without a server."""
    folder = Path(window.run("return ''") or tmp_path)
    out = folder / "boards.html"
    generated = tmp_path / "deploy"
    for command in (
        ["generate", "--only", "dashboards", "--out", str(generated)],
        [
            "preview",
            str(generated / "dashboards"),
            "--prometheus",
            demo.prometheus,
            "--out",
            str(out),
            "--from",
            "now-5m",
        ],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "obs", *command], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    for uid in BOARDS[:2]:
        window.open(f"file://{out}#{uid}")
        window.run("location.reload()")
        window.wait()
        drawn = [state for _, _, state in window.run(_STATES)]
        assert drawn.count("drawn") > 10
    assert window.complaints() == []


def _live(demo: Demo, folder: Path, allowed: Path) -> tuple[int, str]:
    """Ask the shared check whether every panel returns data; return its exit code and last line."""
    shared = os.environ.get("OBS_SHARED")
    if not shared:
        pytest.skip("OBS_SHARED does not name the folder of shared checks")
    boards = sorted(map(str, (folder / "dashboards").glob("*.json")))
    command = [sys.executable, f"{shared}/checks/panels_live.py", demo.prometheus, *boards]
    done = subprocess.run(
        [*command, "--allow-empty", str(allowed)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_every_panel_answers_and_none_with_nan(demo, tmp_path):
    """In steady each panel returns data and none NaN; with no traffic at all there is still no NaN."""
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("".join(f"{title}\t{reason}\n" for title, reason in UNFED.items()))
    generate = [sys.executable, "-m", "obs", "generate", "--only", "dashboards", "--out", str(tmp_path)]
    subprocess.run([*generate], capture_output=True, check=True)
    code, said = _live(demo, tmp_path, allowed)
    assert code == 0, said
    try:
        urllib.request.urlopen(
            urllib.request.Request(f"{demo.fleet}scenario/idle", method="PUT"), timeout=20
        ).close()
        time.sleep(70)  # the windows of `panels_live.py` are a minute wide: let the last work leave them
        _, said = _live(demo, tmp_path, allowed)
        assert " 0 with NaN, 0 failed queries" in said
    finally:
        urllib.request.urlopen(
            urllib.request.Request(f"{demo.fleet}scenario/steady", method="PUT"), timeout=20
        ).close()
