"""The right findings of the shared faults: what `obs lint` must say about each, and on which line.

Facts only: the bodies are read from the folder that OBS_SHARED names, except where a case is told rather than given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from obs.checks.check import Profile


@dataclass(frozen=True, slots=True)
class Right:
    """The findings that are right for a case: (code, severity, line), in order of place.

    `body` is set where the case tells a body instead of giving one. The bodies are fragments: that most metrics are
    absent from them, or most values of a domain, is no part of the case unless `whole` says so.
    """

    findings: tuple[tuple[str, str, int], ...]
    profile: Profile = Profile.PRODUCER
    body: bytes | None = None
    content_type: str | None = None
    whole: bool = False


FRAGMENT = frozenset({"OBS210", "OBS212", "OBS401", "OBS402"})
"""What a fragment earns for what is not in it: absent metrics and values, HELP lines, the suffix of short names."""

_TEXT = "text/plain; version=0.0.4"
_OM = "application/openmetrics-text; version=1.0.0"

RIGHT: Mapping[str, Right] = MappingProxyType(
    {
        "P01": Right((("OBS123", "error", 2),)),
        "P02": Right(()),
        "P04": Right((("OBS112", "error", 3),)),
        "P05": Right((("OBS120", "error", 2),)),
        "P07": Right((("OBS132", "error", 2),)),
        "P09": Right((("OBS305", "warning", 3),)),
        "P10": Right((("OBS140", "error", 3),)),
        "P11": Right((("OBS156", "error", 4), ("OBS154", "error", 5), ("OBS174", "error", 6))),
        "P13": Right((("OBS135", "warning", 2),)),
        "P14": Right(()),
        "P15": Right((("OBS156", "error", 4), ("OBS155", "error", 5))),
        "P17": Right(()),
        "P18": Right((("OBS133", "error", 2),)),
        "P20": Right((("OBS178", "error", 4), ("OBS179", "error", 4))),
        "P21": Right((("OBS102", "error", 1),), body=b"\x1f\x8b\x08\x00\x00\x00\x00\x00", content_type=_TEXT),
        "P22": Right(
            (("OBS103", "error", 1),),
            body=b"<!DOCTYPE html><html><head><title>Sign in</title></head>",
            content_type=_TEXT,
        ),
        "P23": Right((("OBS136", "error", 2),)),
        "P25": Right((("OBS106", "error", 1),)),
        "P27": Right((("OBS211", "info", 2),)),
        "C01": Right(
            (("OBS109", "error", 1),), body=b"a_load 1\n", content_type="text/html; charset=utf-8"
        ),
        "C02": Right((("OBS101", "error", 0),), body=b"", content_type=_TEXT, whole=True),
        "C05": Right((("OBS309", "warning", 3),)),
        "X01": Right((("OBS301", "error", 3),)),
        "X02": Right((("OBS303", "warning", 3),)),
        "X05": Right((("OBS310", "info", 5),)),
        "L01": Right(()),
        "L02": Right((("OBS403", "warning", 2), ("OBS404", "warning", 5))),
        "L03": Right(
            (("OBS217", "error", 2),),
            body=b"# HELP agent_claims_lost Lost.\n# TYPE agent_claims_lost counter\nagent_claims_lost 1\n",
        ),
        "L04": Right((("OBS202", "info", 2),), profile=Profile.CONSUMER),
        "L05": Right((("OBS205", "error", 3),)),
        "L07": Right((("OBS126", "error", 3),)),
        "L08": Right((("OBS202", "info", 5),), profile=Profile.CONSUMER),
        "L09": Right(
            (("OBS202", "error", 2),),
            body=b"# HELP agent_foo_total Foo.\n# TYPE agent_foo_total counter\nagent_foo_total 1\n",
        ),
    }
)  # fmt: skip
"""By the id of the case in faults.jsonl; the kinds that `obs lint` reads as bodies."""

SECOND: Mapping[str, Right] = MappingProxyType(
    {
        # In OpenMetrics the family `agent_runs` is the metric `agent_runs_total`: renamed by nobody.
        "L03": Right(
            (),
            body=b"# HELP agent_loop_steps Steps.\n# TYPE agent_loop_steps counter\nagent_loop_steps_total 1\n# EOF\n",
            content_type=_OM,
        ),
        # The same counter under a name without `_total` is not one of OpenMetrics.
        "L04": Right(
            (("OBS404", "warning", 2), ("OBS173", "error", 3)),
            body=b"# HELP acme_work_sum Sum.\n# TYPE acme_work_sum counter\nacme_work_sum 42\n# EOF\n",
            content_type=_OM,
        ),
        # An absent metric has an id of its own, other than that of an unknown one.
        "L09": Right(
            (("OBS210", "error", 0),),
            body=b"# HELP x_load Load.\n# TYPE x_load gauge\nx_load 1\n",
            whole=True,
        ),
    }
)
"""What the verdicts of some cases say about a second body."""
