"""The part of Prometheus' HTTP API that Thanos, Mimir and VictoriaMetrics have too: queries and metadata.

One request at a time, with a limit on time and size; an answer that is no answer of this API is an error in words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from obs.adapters.scrape import fetch
from obs.adapters.scrape_access import Access
from obs.errors import Problem, UnreadableError, UsageError

MAX_BYTES = 256 << 20
"""Largest answer that is read."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One element of an instant vector."""

    labels: dict[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class PrometheusApi:
    """A server by its base URL; a path before /api (Mimir's /prometheus) is part of it."""

    base: str
    access: Access

    @classmethod
    def at(cls, base: str, access: Access) -> PrometheusApi:
        """Return the API at a URL; raise UsageError when it is none."""
        try:
            parts = urlsplit(base if "://" in base else f"http://{base}")
            valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
        except ValueError:
            valid = False
        if not valid:
            raise UsageError([Problem("--prometheus", f"`{base[:80]}` is no URL", "write http://host:9090")])
        clean = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        return cls(clean, replace(access, max_bytes=MAX_BYTES))

    def vector(self, expression: str) -> tuple[Sample, ...]:
        """Return the instant vector of an expression now; raise UnreadableError."""
        data = self._get("query", {"query": expression})
        if not isinstance(data, dict) or data.get("resultType") != "vector":
            raise self._problem("query", f"no vector for `{expression[:200]}`")
        return tuple(self._sample(item) for item in data["result"])

    def metadata(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return (type, help) of each metric as targets declare it; empty where the server keeps none."""
        try:
            data = self._get("metadata", {})
        except UnreadableError:
            return {}  # Thanos, Mimir and VictoriaMetrics may not keep it; types are then not judged
        if not isinstance(data, dict):
            return {}
        return {
            name: tuple((str(item.get("type", "")), str(item.get("help", ""))) for item in items)
            for name, items in data.items()
            if isinstance(items, list)
        }

    def _sample(self, item: Any) -> Sample:
        try:
            return Sample({str(k): str(v) for k, v in item["metric"].items()}, float(item["value"][1]))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise self._problem("query", "an element that is no sample") from error

    def _get(self, path: str, parameters: dict[str, str]) -> Any:
        query = f"?{urlencode(parameters)}" if parameters else ""
        answer = fetch(f"{self.base}/api/v1/{path}{query}", self.access)
        if len(answer.body) > self.access.max_bytes:
            raise self._problem(
                path, f"an answer of more than {MAX_BYTES >> 20} MiB; narrow it with --selector"
            )
        try:
            document = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise self._problem(path, "an answer that is not JSON") from error
        if not isinstance(document, dict) or document.get("status") != "success":
            said = document.get("error", "") if isinstance(document, dict) else ""
            raise self._problem(path, f"it says `{str(said)[:300]}`" if said else "an answer without success")
        return document.get("data")

    def _problem(self, path: str, message: str) -> UnreadableError:
        remedy = "give the base URL of a server with Prometheus' HTTP API"
        return UnreadableError([Problem(f"{self.base}/api/v1/{path}", message, remedy)])
