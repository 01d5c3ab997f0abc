"""Mutated bodies: a bounded number each time, OBS_FUZZ=200000 for the long run.

The bodies come from the table of faults and, where OBS_SHARED names them, from real scrapes.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from obs.exposition import Limits
from obs.exposition.reader import parse_with
from tests.exposition.faults import FAULTS, OPENMETRICS, SOUND, TEXT
from tests.exposition.test_laws import everything

BODIES = int(os.environ.get("OBS_FUZZ", "2000"))
PIECES = 10  # each with its own seed, so that a failure names a small run
MEDIA = (None, TEXT, OPENMETRICS, f"{TEXT}; escaping=allow-utf-8", f"{OPENMETRICS}; escaping=allow-utf-8")
TOKENS = (
    *(
        b'"',
        b"\\",
        b"{",
        b"}",
        b",",
        b"=",
        b" ",
        b"\t",
        b"\n",
        b"#",
        b"\r",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b"\x0b",
        b"\x1c",
    ),
    *(
        b"# ",
        b"# TYPE a counter\n",
        b"# EOF\n",
        b"NaN",
        b"+Inf",
        b"1e999",
        b"0x1",
        b"1_0",
        b"-nan",
        b"\xef\xbc\x91",
    ),
    *(
        b"_bucket",
        b"_sum",
        b"_count",
        b'le="1"',
        b'a="",',
        b'""',
        b'{"x"} 1\n',
        b" 17",
        b' # {a="b"} 1',
        b"\xe2\x80\xa8",
    ),
)


def seeds(draw: random.Random) -> list[bytes]:
    """Return the bodies to mutate: small ones whole, large ones as runs of lines."""
    found = [fault.body for fault in FAULTS] + [body.encode() for _, body in SOUND.values()]
    shared = os.environ.get("OBS_SHARED")
    for path in sorted((Path(shared) / "cases" / "scrapes").glob("*.txt")) if shared else ():
        body = path.read_bytes()
        for _ in range(10):
            start = body.find(b"\n", draw.randrange(max(1, len(body) - 1500))) + 1
            found.append(body[start : start + draw.randrange(200, 1500)].rpartition(b"\n")[0] + b"\n")
    return found


def mutated(body: bytes, draw: random.Random) -> bytes:
    """Return `body` with one to eight mutations: tokens put in, bytes changed, pieces cut, lines doubled or swapped."""
    text = bytearray(body)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        at, dice = draw.randrange(len(text) + 1), draw.random()
        if dice < 0.4:
            text[at:at] = draw.choice(TOKENS)
        elif dice < 0.55:
            del text[at : at + draw.choice((1, 1, draw.randrange(1, 40)))]
        elif dice < 0.7:
            text[at : at + 1] = bytes([draw.randrange(256)])
        else:
            lines = bytes(text).split(b"\n")
            one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
            if dice < 0.9:
                lines.insert(other, lines[one])
            else:
                lines[one], lines[other] = lines[other], lines[one]
            text = bytearray(b"\n".join(lines))
    return bytes(text)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("piece", range(PIECES))
def test_mutated_bodies_never_surprise(piece: int) -> None:
    """No exception on any mutation, both paths agree, and every rejection has a line and a column of the body."""
    draw = random.Random(piece)
    bodies = seeds(draw)
    for _ in range(BODIES // PIECES):
        body, media = mutated(draw.choice(bodies), draw), draw.choice(MEDIA)
        limits = Limits(max_series=draw.choice((1_000_000, 1_000_000, 1_000_000, 7)))
        fast, slow = (
            parse_with(body, content_type=media, limits=limits, source="-", columnar=columnar)
            for columnar in (True, False)
        )
        assert everything(fast) == everything(slow), (media, body)
        lines = body.count(b"\n") + 1
        for one in fast.diagnoses:
            assert 1 <= one.line <= lines, (one, media, body)
            assert 1 <= one.column < one.end_column, (one, media, body)
        assert fast.rejected_by_server is any(one.fatal for one in fast.diagnoses)
