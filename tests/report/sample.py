"""A report with the shapes that matter: each severity, a repeat, a long line, odd text, two targets."""

from __future__ import annotations

from obs.model.check import CheckDoc
from obs.model.finding import Finding, Location, Severity
from obs.model.report import Report, TargetResult

SOURCE = "build/metrics.txt"
URL = "https://10.0.3.7:9464/metrics"


def mark(line: str, marked: str) -> tuple[int, int]:
    """Return column and end column of `marked` in `line`, as a check reports them."""
    start = line.index(marked) + 1
    return start, start + len(marked)


def at(number: int, line: str = "", marked: str = "", source: str = SOURCE) -> Location:
    """Return the location of `marked` in `line`, which is line `number` of `source`."""
    column, end = mark(line, marked) if marked else (0, 0)
    return Location(source, number, column, end)


_CLOSED = 'agent_tasks_total{outcome="sucess",type="build"} 3'
_NEAR = 'agent_inflight_tasks{direction="input"} 4'
_LONG = (
    "agent_llm_requests_total{"
    + ",".join(f'label_{number:02d}="value {number:02d}"' for number in range(18))
    + ',run_id="3f8e2c1a-9d4b-4c1e-8a55-0e6b2f7d9c10",model="m"} 17'
)
_ODD = 'notes{text="名前\tx\x1b[31m",key="vpn"client"} 1'

CLOSED = Finding(
    code="OBS206",
    slug="value-outside-domain",
    category="contract",
    severity=Severity.ERROR,
    message='`agent_tasks_total` has `outcome="sucess"`, which is not one of the 4 values of this label',
    location=at(12, _CLOSED, "sucess"),
    remedy="use `success`",
    subject="agent_tasks_total",
    excerpt=_CLOSED,
)
REPEATED = tuple(
    Finding(
        code="OBS301",
        slug="forbidden-label",
        category="cardinality",
        severity=Severity.ERROR,
        message="`agent_llm_requests_total` has the label `run_id`, which has a new value for each run",
        location=at(40 + number, _LONG, "run_id"),
        remedy="drop `run_id`; put it in a log or a trace",
        subject="agent_llm_requests_total",
        excerpt=_LONG,
    )
    for number in range(1204)
)
NEAR = Finding(
    code="OBS204",
    slug="unknown-label",
    category="contract",
    severity=Severity.WARNING,
    message="`agent_inflight_tasks` has no label `direction` in the registry",
    location=at(7, _NEAR, "direction"),
    remedy="did you mean `type`?",
    subject="agent_inflight_tasks",
    excerpt=_NEAR,
    related=(Location(SOURCE, 3), Location(SOURCE, 5, 1)),
)
ODD = Finding(
    code="OBS104",
    slug="unescaped-quote",
    category="format",
    severity=Severity.ERROR,
    message='the value of `key` holds a `"` that is not escaped: Prometheus drops 100% of the scrape',
    location=Location(SOURCE, 9, _ODD.index('"client') + 1, _ODD.index('"client') + 2),
    remedy=r"write it as `\"`",
    subject="notes",
    excerpt=_ODD,
)
MISSING = Finding(
    code="OBS210",
    slug="missing-metric",
    category="contract",
    severity=Severity.INFO,
    message="`agent_up` is declared and was not seen,\nthough it is always present",
    location=Location(SOURCE),
    remedy="expose it, or start the target before it is checked",
    subject="agent_up",
)
PANEL = Finding(
    code="OBS401",
    slug="unknown-metric-in-panel",
    category="contract",
    severity=Severity.WARNING,
    message="the panel `Tasks: by outcome` asks for `agent_task_total`, which is not in the registry",
    location=Location(URL, path="$.panels[3].targets[0].expr"),
    remedy="did you mean `agent_tasks_total`?",
    subject="agent_task_total",
)

CHECKS = (
    CheckDoc(
        code="OBS206",
        slug="value-outside-domain",
        category="contract",
        severity=Severity.ERROR,
        summary="A label has a value outside its closed domain.",
        why="Boards and alerts select by these values; a series with another one is in no panel.",
        bad='agent_tasks_total{outcome="sucess"} 3\n',
        good='agent_tasks_total{outcome="success"} 3\n',
        remedy="Use a value of the domain, or extend the registry first.",
    ),
    CheckDoc(
        code="OBS201",
        slug="wrong-type",
        category="contract",
        severity=Severity.ERROR,
        summary="A metric has another type than the registry says.",
        why="A counter that is exposed as a gauge cannot be rated.",
    ),
)

REPORT = Report(
    targets=(
        TargetResult(
            SOURCE,
            findings=(*REPEATED, CLOSED, ODD, MISSING, NEAR),
            series=1290,
            samples=1318,
            size=402_113,
            suppressed=2,
            baselined=14,
        ),
        TargetResult(URL, findings=(PANEL,), series=214, samples=318, size=24_061, left_out=7),
        TargetResult("quiet.txt", series=1, samples=1, size=96),
    ),
    checks=CHECKS,
)
