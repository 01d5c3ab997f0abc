"""`obs preview`: the boards in a browser, without Grafana."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from obs.errors import Problem, UsageError

if TYPE_CHECKING:
    from obs.adapters.preview_boards import Oracle


def preview(
    boards: Annotated[Path, typer.Argument(help="A folder with dashboards (*.json), or one of them.")],
    prometheus: Annotated[
        str, typer.Option("--prometheus", help="The Prometheus that answers their queries.")
    ],
    listen: Annotated[
        str | None, typer.Option("--listen", help="Serve at this address; port 0 takes a free one.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write one self-contained HTML file instead.")
    ] = None,
    start: Annotated[
        str, typer.Option("--from", help="With --out: start of the range, such as now-1h.")
    ] = "",
    end: Annotated[str, typer.Option("--to", help="With --out: its end.")] = "",
) -> None:
    """Look at dashboards with live data: a preview, not Grafana's own renderer.

    Example: obs preview deploy/dashboards --prometheus http://127.0.0.1:9090 --listen 127.0.0.1:8080
    """
    if (out is None) == (listen is None):
        wrong = "neither --listen nor --out" if out is None else "--listen and --out together"
        raise UsageError(
            [Problem("", wrong, "--listen 127.0.0.1:8080 serves, --out boards.html writes a file")]
        )
    from obs.adapters.prometheus_api import PrometheusApi

    api = PrometheusApi(prometheus)
    api.check()
    if out is not None:
        _write(boards, api, out, (start, end))
    else:
        _serve(boards, api, listen or "")


def _write(folder: Path, api: Oracle, out: Path, span: tuple[str, str]) -> None:
    from time import time

    from obs.adapters.preview_boards import Look, load_boards, take_picture
    from obs.adapters.preview_page import whole_page
    from obs.adapters.preview_server import listed
    from obs.errors import UnreadableError

    boards = load_boards(folder)
    now = time()
    pictures = {}
    for uid, board in boards.items():
        opened = frozenset(section.id for section in board.sections)
        look = Look(start=span[0], end=span[1], open_sections=opened)
        pictures[uid] = take_picture(board, look, api, lambda: now)
    data = {"boards": listed(boards), "uid": next(iter(boards)), "pictures": pictures}
    try:
        out.write_bytes(whole_page("Agents: boards", data))
    except OSError as error:
        raise UnreadableError([Problem(str(out), f"cannot be written: {error.strerror}")]) from error
    typer.echo(f"{out}: {len(boards)} boards, {out.stat().st_size // 1024} KiB")


def _serve(folder: Path, api: Oracle, listen: str) -> None:
    import signal
    import sys
    from time import time

    from obs.adapters.addresses import parse_address
    from obs.adapters.preview_server import open_preview

    server = open_preview(folder, api, parse_address(listen), time)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: server.stop())
    typer.echo(f"listening on http://{server.address}")
    sys.stdout.flush()
    server.serve()
