"""Writes a generated tree so that a crash, a conflict or a full disk leaves the old one.

A manifest (`.obs-manifest.json`) remembers which files obs wrote. A file it does not name is somebody else's: never
touched, never overwritten. New content is staged beside the tree with a copy of what it replaces and a journal; only
then are files renamed into place. A run that dies in between is undone by the next one, from the journal.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from obs.documents.dump import to_json
from obs.errors import Problem, UnreadableError, UsageError
from obs.model.artifact import Artifact, ArtifactKind

MANIFEST = ".obs-manifest.json"
STAGE = ".obs-stage"
_JOURNAL = "journal.json"


class Change(StrEnum):
    """What writing would do to one file."""

    NEW = "new"
    CHANGED = "changed"
    REMOVED = "removed"
    FOREIGN = "not written by obs"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that differs. `old` and `new` are its contents, None where it does not exist."""

    path: str
    change: Change
    old: bytes | None
    new: bytes | None
    edited_by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Owned:
    """What the manifest remembers of a file: the part of the tree it belongs to and the sha256 of its content."""

    kind: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes to make a folder equal to the artifacts. `owned` is the manifest afterwards, by path."""

    changes: tuple[FileChange, ...]
    unchanged: int
    owned: Mapping[str, Owned]


def make_plan(out: Path, artifacts: Sequence[Artifact], kinds: frozenset[ArtifactKind] | None = None) -> Plan:
    """Return what would change in `out`; `kinds` limits it to these parts of the tree.

    A run that died in the middle of a write is undone first. Raise UsageError for every file that stands in the way
    and was not written by obs, UnreadableError when the folder cannot be read.
    """
    with _readable(out):
        if (out / STAGE / _JOURNAL).exists():
            with _locked(out):
                _undo(out)
        owned = _read_manifest(out)
        wanted = {
            artifact.path: artifact for artifact in artifacts if kinds is None or artifact.kind in kinds
        }
        stale = {
            path
            for path, entry in owned.items()
            if path not in wanted and (kinds is None or entry.kind in kinds)
        }
        _refuse_conflicts(out, wanted, owned)
        changes = [*_changed(out, wanted.values(), owned), *_removed(out, stale, owned)]
        kept = {path: entry for path, entry in owned.items() if path not in stale}
        kept |= {path: _entry(artifact) for path, artifact in wanted.items()}
    return Plan(
        changes=tuple(sorted(changes, key=lambda change: change.path)),
        unchanged=len(wanted) - sum(change.change is not Change.REMOVED for change in changes),
        owned=kept,
    )


def foreign_files(out: Path, plan: Plan) -> tuple[FileChange, ...]:
    """Return the files of `out` that obs neither wrote nor is about to."""
    found = []
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_file() and name != MANIFEST and name not in plan.owned and not name.startswith(STAGE):
            found.append(FileChange(name, Change.FOREIGN, None, None))
    return tuple(change for change in found if change.path not in {known.path for known in plan.changes})


def apply_plan(out: Path, plan: Plan) -> None:
    """Make `out` what the plan says, all of it or nothing.

    Raise UnreadableError when the disk refuses; the old tree stands then.
    """
    manifest = _manifest_bytes(plan)
    with _readable(out):
        out.mkdir(parents=True, exist_ok=True)
        current = (out / MANIFEST).read_bytes() if (out / MANIFEST).exists() else None
        if not plan.changes and current == manifest:
            return
        with _locked(out):
            changes = (*plan.changes, FileChange(MANIFEST, Change.CHANGED, current, manifest))
            _stage(out, changes)
            try:
                _commit(out, changes)
            except BaseException:
                _undo(out)
                raise
            shutil.rmtree(out / STAGE)
            _remove_empty_folders(out, plan)


def _entry(artifact: Artifact) -> Owned:
    return Owned(str(artifact.kind), hashlib.sha256(artifact.content).hexdigest())


def _manifest_bytes(plan: Plan) -> bytes:
    files = {path: asdict(entry) for path, entry in plan.owned.items()}
    return to_json(
        {"about": "Files that obs wrote here and may overwrite or remove.", "version": 1, "files": files}
    )


def _read_manifest(out: Path) -> dict[str, Owned]:
    path = out / MANIFEST
    if not path.exists():
        return {}
    try:
        files = json.loads(path.read_bytes())["files"]
        owned = {str(name): Owned(str(entry["kind"]), str(entry["sha256"])) for name, entry in files.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        owned = {"..": Owned("", "")}
    if not all(map(_inside, owned)):
        problem = Problem(
            str(path),
            "is damaged, so obs cannot tell which files are its own",
            "restore it, or remove the tree",
        )
        raise UsageError([problem])
    return owned


def _inside(name: str) -> bool:
    """Return whether a path of a manifest stays in its folder: one that does not would remove somebody's file."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _refuse_conflicts(out: Path, wanted: Mapping[str, Artifact], owned: Mapping[str, Owned]) -> None:
    problems = []
    if out.exists() and not out.is_dir():
        raise UsageError([Problem(str(out), "is a file, not a folder", "choose another --out")])
    for path in wanted:
        target = out / path
        blocked = next(
            (parent for parent in _parents(out, target) if parent.exists() and not parent.is_dir()), None
        )
        if blocked is not None:
            problems.append(Problem(str(blocked), "is a file where a folder is needed", "move it away"))
        elif target.is_symlink() or (target.exists() and not target.is_file()):
            problems.append(Problem(str(target), "is not a plain file", "move it away"))
        elif path not in owned and target.exists() and target.read_bytes() != wanted[path].content:
            problems.append(
                Problem(
                    str(target),
                    "was not written by obs and is not overwritten",
                    "move it away or choose another --out",
                )
            )
    if problems:
        raise UsageError(problems)


def _parents(out: Path, target: Path) -> Iterator[Path]:
    parent = target.parent
    while parent != out:
        yield parent
        parent = parent.parent


def _changed(out: Path, wanted: Iterable[Artifact], owned: Mapping[str, Owned]) -> Iterator[FileChange]:
    for artifact in wanted:
        target = out / artifact.path
        old = target.read_bytes() if target.exists() else None
        if old == artifact.content:
            continue
        change = Change.NEW if old is None else Change.CHANGED
        edited = _edited(old, owned.get(artifact.path))
        yield FileChange(artifact.path, change, old, artifact.content, edited)


def _removed(out: Path, stale: Iterable[str], owned: Mapping[str, Owned]) -> Iterator[FileChange]:
    for path in stale:
        target = out / path
        if target.is_file() and not target.is_symlink():
            old = target.read_bytes()
            yield FileChange(path, Change.REMOVED, old, None, _edited(old, owned[path]))


def _edited(content: bytes | None, written: Owned | None) -> bool:
    """Return whether a file of obs no longer holds what obs wrote."""
    if content is None or written is None:
        return False
    return hashlib.sha256(content).hexdigest() != written.sha256


def _stage(out: Path, changes: Sequence[FileChange]) -> None:
    """Write new contents and copies of the old ones, then the journal that makes them count."""
    stage = out / STAGE
    if stage.exists():
        shutil.rmtree(stage)
    for change in changes:
        for folder, content in (("new", change.new), ("old", change.old)):
            if content is not None:
                path = stage / folder / change.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    journal = {change.path: change.old is not None for change in changes}
    draft = stage / f"{_JOURNAL}.draft"
    with draft.open("wb") as file:
        file.write(to_json(journal))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(stage / _JOURNAL)


def _commit(out: Path, changes: Sequence[FileChange]) -> None:
    for change in changes:
        target = out / change.path
        if change.new is None:
            target.unlink(missing_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            (out / STAGE / "new" / change.path).replace(target)


def _undo(out: Path) -> None:
    """Put back what the journal says was there, and drop the stage."""
    stage = out / STAGE
    journal = stage / _JOURNAL
    if journal.exists():
        for path, existed in json.loads(journal.read_bytes()).items():
            target = out / path
            if existed:
                shutil.copyfile(stage / "old" / path, target)
            else:
                target.unlink(missing_ok=True)
                _remove_empty(out, target.parent)
    shutil.rmtree(stage, ignore_errors=True)


def _remove_empty_folders(out: Path, plan: Plan) -> None:
    for change in plan.changes:
        if change.change is Change.REMOVED:
            _remove_empty(out, (out / change.path).parent)


def _remove_empty(out: Path, folder: Path) -> None:
    while folder != out and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


@contextlib.contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Hold the folder's lock, so that two runs never write into each other."""
    descriptor = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _readable(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        place = error.filename or out
        raise UnreadableError(
            [Problem(str(place), error.strerror or str(error), "nothing was changed")]
        ) from error
