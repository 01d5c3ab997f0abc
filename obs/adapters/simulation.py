"""What a simulation reads and writes: scaled objects, loads from files and from Prometheus, pictures, timelines."""

from __future__ import annotations

import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from obs.adapters.files import read_text
from obs.documents.load import Document, load_all_yaml
from obs.errors import InvalidInputError, NothingObservedError, Problem, UnreadableError, UsageError
from obs.sim.loads import Load, from_csv, from_rate

if TYPE_CHECKING:
    from pathlib import Path

# Prometheus refuses a range query with more points a series (web/api/v1: maximum resolution of 11,000
# points).
MOST_POINTS = 11_000
TIMEOUT = 30


def read_scaled_object(path: Path, name: str | None = None) -> Document:
    """Return the ScaledObject in a YAML file; of several, the one called `name`.

    Raises UnreadableError where there is no file, InvalidInputError where it holds no ScaledObject to choose.
    """
    documents = [
        document
        for document in load_all_yaml(read_text(path), str(path))
        if isinstance(document.data, Mapping) and document.data.get("kind") == "ScaledObject"
    ]
    names = [_name(document.data) for document in documents]
    chosen = [document for document in documents if name is None or _name(document.data) == name]
    if len(chosen) == 1:
        return chosen[0]
    if not documents:
        problem = Problem(str(path), "there is no ScaledObject in it", "give the file that is applied")
    elif not chosen:
        problem = Problem(str(path), f"there is no ScaledObject `{name}` in it", f"it has {', '.join(names)}")
    else:
        problem = Problem(
            str(path),
            f"there are {len(chosen)} ScaledObjects in it",
            f"choose with --name: {', '.join(names)}",
        )
    raise InvalidInputError([problem])


def _name(data: Mapping[str, Any]) -> str:
    metadata = data.get("metadata")
    return str(metadata.get("name", "")) if isinstance(metadata, Mapping) else ""


def read_load(path: Path) -> Load:
    """Return the load in a CSV file."""
    return from_csv(read_text(path), str(path))


def write_text(path: Path, text: str, option: str) -> None:
    """Write a file that an option asked for; raise UsageError where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            [Problem(option, f"{path} cannot be written: {reason}", "check the path")]
        ) from error


def fetch_load(address: str, query: str, span: int, step: int = 60, end: float | None = None) -> Load:
    """Return the load that `query`, a rate in items a second, had over the last `span` seconds.

    `end` is a unix time (None: now). A step without a sample counts as nothing. Raises UnreadableError where
    Prometheus cannot be asked, NothingObservedError where it has nothing.
    """
    until = math.floor(time.time() if end is None else end)
    source = f"{address.rstrip('/')} {query}"
    seen: dict[float, float] = {}
    for start, stop in _chunks(until - span, until, step):
        seen.update(_range(address, query, start, stop, step))
    if not seen:
        raise NothingObservedError(
            [Problem(source, f"no sample in the last {span}s", "check the query and --range")]
        )
    times = range(math.floor(min(seen)), math.floor(max(seen)) + 1, step)
    return from_rate([(at, seen.get(float(at), 0.0)) for at in times], step, source)


def _chunks(start: int, end: int, step: int) -> Iterator[tuple[int, int]]:
    width = step * (MOST_POINTS - 1)
    while start <= end:
        yield start, min(end, start + width)
        start += width + step


def _range(address: str, query: str, start: int, end: int, step: int) -> dict[float, float]:
    """Ask one range query; return value by unix time."""
    base = address.rstrip("/")
    parameters = urllib.parse.urlencode({"query": query, "start": start, "end": end, "step": step})
    url = f"{base}/api/v1/query_range?{parameters}"
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise UsageError([Problem("--prometheus", f"`{address}` is no address", "write http://HOST:PORT")])
    try:
        # The scheme is checked above.
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:  # noqa: S310
            answer = json.load(response)
        result = answer["data"]["result"]
    except urllib.error.HTTPError as error:
        said = error.read(2000).decode(errors="replace")
        raise UnreadableError(
            [Problem(base, f"Prometheus answers {error.code}: {_said(said)}", "check the query")]
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableError([Problem(base, f"cannot be asked: {error}", "check the address")]) from error
    if len(result) > 1:
        problem = Problem(f"{base} {query}", f"the query has {len(result)} series", "aggregate it: sum(...)")
        raise InvalidInputError([problem])
    return {float(at): float(value) for series in result for at, value in series["values"]}


def _said(body: str) -> str:
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        return body.strip()[:200]
