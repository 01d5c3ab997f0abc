"""Asks a Prometheus: queries at once, ranges, and label values. Every failure is an answer that says why."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from obs.errors import Problem, UnreadableError, UsageError
from obs.preview.clock import Range
from obs.preview.frames import Answer, read_answer
from obs.preview.label_values import LabelQuestion
from obs.preview.picture import Question

AT_ONCE = 8  # queries in flight: a Prometheus runs 20 at a time unless told otherwise
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PrometheusApi:
    """A Prometheus at `address` (`http://host:port`, a path before `/api` if it has one). `timeout` is in seconds."""

    address: str
    timeout: float = 30.0

    def check(self) -> None:
        """Raise UsageError for an address that is none, UnreadableError when nobody answers there."""
        parts = urllib.parse.urlsplit(self.address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(
                [Problem("--prometheus", f"`{self.address}` is not a URL", "write http://host:9090")]
            )
        answer = self.ask(Question("vector(1)", Range(0, 1), 0.0))
        if answer.error:
            raise UnreadableError([Problem(self.address, answer.error, "is a Prometheus running there?")])

    def ask(self, question: Question) -> Answer:
        """Return the answer to one question."""
        if question.step:
            fields = {"start": question.span.start, "end": question.span.end, "step": question.step}
            return read_answer(self._post("query_range", {"query": question.expr, **fields}))
        moment = {"time": question.span.end} if question.span.end > 1 else {}
        return read_answer(self._post("query", {"query": question.expr, **moment}))

    def ask_all(self, questions: Iterable[Question]) -> dict[Question, Answer]:
        """Return the answers to many questions, a few asked at a time."""
        asked = tuple(questions)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return dict(zip(asked, pool.map(self.ask, asked), strict=True))

    def label_values(self, question: LabelQuestion, span: Range) -> tuple[str, ...]:
        """Return the values of a label in a time range; none when Prometheus does not answer."""
        fields: dict[str, Any] = {"start": span.start, "end": span.end}
        if question.selector:
            fields["match[]"] = question.selector
        data = self._get(f"label/{urllib.parse.quote(question.label)}/values", fields)
        values = data.get("data") if isinstance(data, dict) else None
        return tuple(map(str, values)) if isinstance(values, list) else ()

    def _get(self, path: str, fields: Mapping[str, Any]) -> Any:
        url = f"{self.address.rstrip('/')}/api/v1/{path}?{urllib.parse.urlencode(fields)}"
        return self._fetch(urllib.request.Request(url))  # noqa: S310  # check() let only http and https through

    def _post(self, path: str, fields: Mapping[str, Any]) -> Any:
        url = f"{self.address.rstrip('/')}/api/v1/{path}"
        body = urllib.parse.urlencode(fields).encode()
        return self._fetch(urllib.request.Request(url, data=body))  # noqa: S310  # check() let only http and https through

    def _fetch(self, request: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as reply:  # noqa: S310  # as above
                return json.loads(reply.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                return _said(error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return {"error": f"no answer: {getattr(error, 'reason', None) or error}"}


def _said(error: urllib.error.HTTPError) -> dict[str, str]:
    """Return Prometheus' own words for an error, else the status."""
    try:
        said = json.loads(error.read(MOST_BYTES)).get("error")
    except (ValueError, AttributeError, OSError):
        said = None
    return {"error": str(said or f"HTTP {error.code} {error.reason}")}
