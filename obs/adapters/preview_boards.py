"""Boards on disk, and pictures of them: the file is read anew each time, so an edit shows at the next look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from obs.adapters.files import read_text
from obs.errors import InvalidInputError, NothingObservedError, Problem, UnreadableError
from obs.preview.board import Board, read_board
from obs.preview.clock import Range, read_range
from obs.preview.frames import Answer
from obs.preview.label_values import LabelQuestion
from obs.preview.picture import Question, Wish, all_questions, choices, picture


class Oracle(Protocol):
    """Whoever answers a board's questions: a Prometheus, or a stand-in in a test."""

    def ask_all(self, questions: tuple[Question, ...]) -> dict[Question, Answer]:
        """Return the answers."""

    def label_values(self, question: LabelQuestion, span: Range) -> tuple[str, ...]:
        """Return the values of a label."""


def load_boards(path: Path) -> dict[str, Board]:
    """Return the boards in a folder (its `*.json`), or the one in a file, by uid, in order of title.

    Raise UnreadableError or InvalidInputError with every problem, NothingObservedError when there is none.
    """
    if not path.exists():
        raise UnreadableError([Problem(str(path), "no such file or folder", "run obs generate first")])
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    boards: dict[str, Board] = {}
    problems: list[Problem] = []
    for file in files:
        try:
            board = read_board(read_text(file), str(file))
        except InvalidInputError as error:
            problems += error.problems
            continue
        if board.uid in boards:
            problems.append(
                Problem(str(file), f"uid `{board.uid}` is also that of {boards[board.uid].source}")
            )
        boards[board.uid] = board
    if problems:
        raise InvalidInputError(problems)
    if not boards:
        raise NothingObservedError(
            [Problem(str(path), "holds no dashboard (*.json)", "run obs generate first")]
        )
    return dict(sorted(boards.items(), key=lambda item: item[1].title))


@dataclass(frozen=True, slots=True)
class Look:
    """What a viewer asked for, as it stands in a URL: `start` and `end` empty for the board's own."""

    start: str = ""
    end: str = ""
    variables: Mapping[str, tuple[str, ...]] | None = None
    open_sections: frozenset[int] = frozenset()
    annotations: frozenset[str] | None = None


def take_picture(board: Board, look: Look, oracle: Oracle, clock: Callable[[], float]) -> dict[str, Any]:
    """Return the board with the answers to all it asks."""
    start, end = look.start or board.start, look.end or board.end
    span = read_range(start, end, clock())
    wish = Wish(start, end, span, look.variables or {}, look.open_sections, look.annotations)
    chosen = choices(board, wish, oracle.label_values)
    return picture(board, chosen, wish, oracle.ask_all(all_questions(board, chosen, wish)))
