"""Where a finding about a document stands: the key a person looks for, by line, columns and JSON path."""

from __future__ import annotations

from obs.documents.load import Document, Path, json_path
from obs.model.finding import Location


def location_of(document: Document, path: Path) -> Location:
    """Return the place of `path` in `document`; its columns span the key where one stands there."""
    line, column = document.position(path)
    key = path[-1] if path and path in document.marks else ""
    end = column + len(key) if isinstance(key, str) and key else 0
    return Location(document.source, line, column, end, json_path(path))
