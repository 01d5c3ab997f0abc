"""The page of the preview: its own scripts and styles, uPlot's, and in a single file all of them with the data."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPTS = ("uPlot.iife.min.js", "format.js", "charts.js", "panels.js", "app.js")
STYLES = ("uPlot.min.css", "preview.css")
_FOLDER = Path(__file__).resolve().parent / "preview_assets"

_SHELL = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
{styles}
</head>
<body>
<noscript>The preview draws its charts with JavaScript.</noscript>
<div id="app"></div>
<script id="data" type="application/json">{data}</script>
{scripts}
</body>
</html>
"""


def asset(name: str) -> bytes | None:
    """Return a script or style by name; None for anything else."""
    return (_FOLDER / name).read_bytes() if name in {*SCRIPTS, *STYLES} else None


def page(title: str, data: Mapping[str, Any]) -> bytes:
    """Return the page that loads its scripts from the server."""
    styles = "\n".join(f'<link rel="stylesheet" href="/assets/{name}">' for name in STYLES)
    scripts = "\n".join(f'<script src="/assets/{name}"></script>' for name in SCRIPTS)
    return _filled(title, data, styles, scripts)


def whole_page(title: str, data: Mapping[str, Any]) -> bytes:
    """Return the page with everything inside: it needs no server and no network."""
    licence = (_FOLDER / "uPlot.LICENSE.txt").read_text(encoding="utf-8")
    styles = "\n".join(f"<style>\n{_text(name)}\n</style>" for name in STYLES)
    scripts = "\n".join(f"<script>\n{_text(name)}\n</script>" for name in SCRIPTS)
    return _filled(title, data, styles, f"<!--\nuPlot:\n{licence}\n-->\n{scripts}")


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _filled(title: str, data: Mapping[str, Any], styles: str, scripts: str) -> bytes:
    return _SHELL.format(
        title=html.escape(title), data=embedded(data), styles=styles, scripts=scripts
    ).encode()


def embedded(data: Mapping[str, Any]) -> str:
    """Return JSON that no text in it can break out of a script element with."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
