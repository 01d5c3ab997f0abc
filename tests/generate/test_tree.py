"""Writing a tree: all or nothing, and nobody else's files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obs.adapters.tree import MANIFEST, STAGE, Change, apply_plan, foreign_files, make_plan
from obs.errors import UnreadableError, UsageError
from obs.model.artifact import Artifact, ArtifactKind
from tests.home import REPO

RULES, DOCS = ArtifactKind.RULES, ArtifactKind.DOCS


def artifacts(files, kind=RULES):
    """Artifacts from a path -> text mapping."""
    return [Artifact(kind, path, text.encode()) for path, text in files.items()]


def write(out, files, kind=RULES, kinds=None):
    """Make `out` hold `files`."""
    apply_plan(out, make_plan(out, artifacts(files, kind), kinds))


def listing(out):
    """Path -> text of everything but the manifest."""
    return {
        path.relative_to(out).as_posix(): path.read_text()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }


def test_a_tree_is_written_then_left_alone(tmp_path):
    """The second run changes nothing, not even the times."""
    out = tmp_path / "deploy"
    write(out, {"a/b.txt": "1", "c.txt": "2"})
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    plan = make_plan(out, artifacts({"a/b.txt": "1", "c.txt": "2"}))
    assert (plan.changes, plan.unchanged) == ((), 2)
    apply_plan(out, plan)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_what_is_no_longer_made_is_removed_with_its_empty_folder(tmp_path):
    """A renamed file does not stay behind."""
    write(tmp_path, {"old/a.txt": "1", "keep.txt": "1"})
    write(tmp_path, {"keep.txt": "2"})
    assert listing(tmp_path) == {"keep.txt": "2"}
    assert not (tmp_path / "old").exists()


def test_a_foreign_file_is_never_touched(tmp_path):
    """What obs did not write stays, also in the folders it writes to."""
    write(tmp_path, {"rules/a.yaml": "1"})
    (tmp_path / "rules" / "mine.yaml").write_text("mine")
    write(tmp_path, {"other.yaml": "2"})
    assert listing(tmp_path) == {"rules/mine.yaml": "mine", "other.yaml": "2"}


@pytest.mark.parametrize("shape", ["file", "folder", "symlink", "parent"])
def test_a_foreign_thing_in_the_way_refuses_the_whole_run(tmp_path, shape):
    """Every conflict is named and nothing is half-written."""
    target = tmp_path / "b" / "c.txt"
    if shape == "parent":
        (tmp_path / "b").write_text("mine")
    else:
        target.parent.mkdir()
        if shape == "file":
            target.write_text("mine")
        elif shape == "folder":
            target.mkdir()
        else:
            target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError) as caught:
        write(tmp_path, {"a.txt": "1", "b/c.txt": "2"})
    assert str(tmp_path / "b") in str(caught.value)
    assert not (tmp_path / "a.txt").exists()


def test_a_foreign_file_with_the_same_content_is_adopted(tmp_path):
    """A lost manifest does not block a run that would change nothing."""
    write(tmp_path, {"a.txt": "1"})
    (tmp_path / MANIFEST).unlink()
    write(tmp_path, {"a.txt": "1"})
    write(tmp_path, {})
    assert listing(tmp_path) == {}


def test_a_hand_edit_is_seen_and_undone(tmp_path):
    """The plan says that the file had been edited."""
    write(tmp_path, {"a.txt": "1"})
    (tmp_path / "a.txt").write_text("edited")
    plan = make_plan(tmp_path, artifacts({"a.txt": "1"}))
    assert [(change.change, change.edited_by_hand) for change in plan.changes] == [(Change.CHANGED, True)]
    apply_plan(tmp_path, plan)
    assert listing(tmp_path) == {"a.txt": "1"}


def test_a_hand_edit_is_noticed_where_the_file_is_no_longer_made(tmp_path):
    """The plan says so of a file that it removes, too."""
    write(tmp_path, {"a.txt": "1", "b.txt": "1"})
    (tmp_path / "b.txt").write_text("edited")
    plan = make_plan(tmp_path, artifacts({"a.txt": "1"}))
    assert [(change.change, change.edited_by_hand) for change in plan.changes] == [(Change.REMOVED, True)]


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/hostname", "a/../../outside.txt"])
def test_a_manifest_cannot_name_files_outside_its_folder(tmp_path, name):
    """A manifest that somebody else wrote does not make obs remove their neighbour's file."""
    write(tmp_path / "deploy", {"a.txt": "1"})
    (tmp_path / "outside.txt").write_text("mine")
    manifest = tmp_path / "deploy" / MANIFEST
    manifest.write_text(manifest.read_text().replace('"a.txt"', f'"{name}"'))
    with pytest.raises(UsageError, match="is damaged"):
        write(tmp_path / "deploy", {"b.txt": "1"})
    assert (tmp_path / "outside.txt").read_text() == "mine"


def test_only_one_kind_is_written_and_cleaned(tmp_path):
    """`--only` neither writes nor removes files of other kinds."""
    write(tmp_path, {"d.md": "1"}, DOCS)
    write(tmp_path, {"a.txt": "1"}, kinds=frozenset({RULES}))
    assert set(listing(tmp_path)) == {"d.md", "a.txt"}
    write(tmp_path, {}, kinds=frozenset({RULES}))
    assert set(listing(tmp_path)) == {"d.md"}


def test_foreign_files_are_listed_for_exact_checks(tmp_path):
    """The committed tree may hold nothing that no emitter makes."""
    write(tmp_path, {"a.txt": "1"})
    (tmp_path / "stray.txt").write_text("x")
    plan = make_plan(tmp_path, artifacts({"a.txt": "1"}))
    assert [change.path for change in foreign_files(tmp_path, plan)] == ["stray.txt"]


def test_a_damaged_manifest_is_said_not_guessed(tmp_path):
    """Without it obs cannot tell its own files from others."""
    write(tmp_path, {"a.txt": "1"})
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(UsageError, match="damaged"):
        write(tmp_path, {"a.txt": "2"})


def test_a_failure_while_renaming_leaves_the_old_tree(tmp_path, monkeypatch):
    """The third rename fails: the first two are undone."""
    old = {"a.txt": "1", "b.txt": "1", "c.txt": "1", "gone.txt": "1"}
    new = {"a.txt": "2", "b.txt": "2", "c.txt": "2", "d/e.txt": "2"}
    write(tmp_path, old)
    before = (tmp_path / MANIFEST).read_bytes()
    real, calls = Path.replace, []

    def failing(self, target):
        if "new" in self.parts:
            calls.append(target)
            if len(calls) == 3:
                raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(UnreadableError, match="No space left"):
        write(tmp_path, new)
    monkeypatch.undo()
    assert listing(tmp_path) == old
    assert (tmp_path / MANIFEST).read_bytes() == before
    assert not (tmp_path / STAGE).exists()


_DIES = """
import os, sys
from pathlib import Path
from obs.adapters import tree
from obs.model.artifact import Artifact, ArtifactKind
out, left = Path(sys.argv[1]), int(sys.argv[2])
real = Path.replace
def dying(self, target):
    global left
    if 'new' in self.parts:
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
    return real(self, target)
Path.replace = dying
files = [Artifact(ArtifactKind.RULES, f'{i}.txt', b'new') for i in range(5)]
tree.apply_plan(out, tree.make_plan(out, files))
"""


@pytest.mark.parametrize("renames", [0, 1, 3, 5])
def test_a_killed_run_is_undone_by_the_next_look(tmp_path, renames):
    """SIGKILL between two renames: the next plan starts from the old tree, whole."""
    old = {f"{index}.txt": "old" for index in range(4)} | {"gone.txt": "old"}
    write(tmp_path, old)
    script = [sys.executable, "-c", _DIES, str(tmp_path), str(renames)]
    done = subprocess.run(script, cwd=REPO, check=False)
    assert done.returncode == -signal.SIGKILL
    make_plan(tmp_path, artifacts(old))
    assert listing(tmp_path) == old


def test_a_folder_that_may_not_be_written_is_an_error_for_people(tmp_path):
    """Permission denied names the place; skipped only for root, whom permissions do not bind."""
    if os.geteuid() == 0:
        target = Path("/proc/obs-cannot-be-made")
    else:
        target = tmp_path / "locked" / "deploy"
        target.parent.mkdir(mode=0o500)
    with pytest.raises(UnreadableError, match="nothing was changed"):
        write(target, {"a.txt": "1"})


FILES = st.dictionaries(
    st.sampled_from(["a", "b", "c/d", "c/e", "f/g/h"]), st.sampled_from(["1", "2", "3"]), max_size=5
)


@settings(max_examples=60, deadline=None)
@given(st.lists(FILES, min_size=1, max_size=4))
def test_the_folder_always_equals_the_last_tree(tmp_path_factory, trees):
    """Whatever was there before, only the newest tree remains."""
    out = tmp_path_factory.mktemp("tree")
    for files in trees:
        write(out, files)
    assert listing(out) == trees[-1]
