"""Spreads the runs of a search over processes, and shows how far it is to a person who watches."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TextIO

from obs.sim.knobs import Knobs
from obs.sim.tune import Score, Trial, Tuning, evaluate, tune

_WIDTH = 30

_Mapper = Callable[[Callable[[Knobs], Score], Sequence[Knobs]], Iterator[Score]]


class Progress:
    """A bar on a terminal; on anything else, nothing at all."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._shown = stream.isatty()
        self._done = 0

    def step(self) -> None:
        """Count one point."""
        self._done += 1
        if self._shown:
            share = min(1.0, self._done / max(1, self._total))
            bar = "#" * round(share * _WIDTH)
            print(
                f"\r[{bar:<{_WIDTH}}] {self._done}/{self._total} points",
                end="",
                file=self._stream,
                flush=True,
            )

    def close(self) -> None:
        """Remove the bar."""
        if self._shown:
            print("\r" + " " * (_WIDTH + 40) + "\r", end="", file=self._stream, flush=True)


def search(trial: Trial, points: int, jobs: int = 0, stream: TextIO | None = None) -> Tuning:
    """Search with `jobs` processes (0: one a core); the result does not depend on how many there are."""
    workers = jobs or os.cpu_count() or 1
    progress = Progress(points, stream or sys.stderr)
    try:
        with _mapper(workers) as mapped:

            def evaluate_all(trial: Trial, many: Sequence[Knobs]) -> Sequence[Score]:
                scores = []
                for score in mapped(functools.partial(evaluate, trial), many):
                    scores.append(score)
                    progress.step()
                return scores

            return tune(trial, points, evaluate_all)
    finally:
        progress.close()


@contextmanager
def _mapper(workers: int) -> Iterator[_Mapper]:
    """Yield an ordered `map`: in this process, or over several."""
    if workers == 1:
        yield map
        return
    # Fresh processes: a fork of a process with threads may hang. Ctrl-C is for the parent alone to answer.
    pool = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        yield functools.partial(pool.map, chunksize=4)
    finally:
        pool.shutdown(cancel_futures=True)
