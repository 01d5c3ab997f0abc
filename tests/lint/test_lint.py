"""`obs lint` as a person or a pipeline uses it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from obs.emit.cardinality import CardinalityEmitter
from tests.home import REPO, sources
from tests.lint.commands import READY, lone_registry, obs


def codes(out: str) -> list[str]:
    """The codes of a JSON report."""
    return [one["code"] for target in json.loads(out)["targets"] for one in target["findings"]]


def test_a_body_from_the_standard_input() -> None:
    """`-` reads the standard input; the finding has the place, an excerpt with a caret, and the fix."""
    body = (
        "# HELP agent_tokens_total T.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{direction="input"} 1200\n'
    )
    ran = obs("lint", "-", "--select", "OBS205", stdin=body)
    assert ran.code == 1
    assert "-:3:20: error[OBS205 renamed-label]" in ran.out
    assert "|                    ^^^^^^^^^" in ran.out
    assert "did you mean `type`? its values are `in`, `out`" in ran.out


def test_a_file_may_be_called_like_a_scheme(tmp_path: Path) -> None:
    """`http-rules.yaml` is a file of rules, not an address."""
    rules = tmp_path / "http-rules.yaml"
    rules.write_text("groups:\n- name: g\n  rules:\n  - {record: 'a:b', expr: sum(agent_up)}\n")
    ran = obs("lint", rules, "--select", "rules")
    assert (ran.code, ran.out) == (0, f"{rules}: clean: {rules.stat().st_size} bytes\n")


@pytest.mark.parametrize("source", ["ftp://host/metrics", "localhost:9464", "10.0.0.1:9464/metrics"])
def test_what_looks_like_an_address_is_told_how_to_be_one(source: str) -> None:
    """A forgotten scheme is not called a missing file alone."""
    ran = obs("lint", source)
    assert (ran.code, ran.err) == (3, f"obs: {source}: no such file; URLs begin with http:// or https://\n")


def test_format_needs_no_registry(tmp_path: Path) -> None:
    """`--select format` judges any exporter's body, even where the registry cannot be read."""
    body = tmp_path / "m.txt"
    body.write_text("acme_load 1\n")
    assert obs("lint", body, "--select", "format").code == 0
    assert obs("lint", body, "--select", "contract").code == 1
    assert obs("lint", body, "--select", "contract", "--registry", tmp_path / "gone.json").code == 3


def test_the_content_type_decides_the_format(tmp_path: Path) -> None:
    """A header is believed; without one a last line `# EOF` says OpenMetrics."""
    body = tmp_path / "m.txt"
    body.write_text("# HELP a A.\n# TYPE a counter\na_total 1\n# EOF\n")
    assert obs("lint", body, "--select", "format").code == 0
    ran = obs("lint", body, "--select", "format", "--content-type", "text/plain", "--format", "json")
    assert ran.code == 0
    typed = "application/openmetrics-text; version=1.0.0"
    body.write_text("# HELP a A.\n# TYPE a counter\na_total 1\n")
    assert codes(
        obs("lint", body, "--content-type", typed, "--select", "format", "--format", "json").out
    ) == ["OBS114"]


def test_a_gzipped_file_is_unpacked(tmp_path: Path) -> None:
    """`*.gz` is unpacked; a file that only lost its Content-Encoding is called what it is."""
    packed, odd = tmp_path / "m.txt.gz", tmp_path / "m.txt"
    for path in (packed, odd):
        path.write_bytes(gzip.compress(READY.encode()))
    registry = lone_registry(tmp_path)
    assert obs("lint", packed, "--registry", registry).code == 0
    ran = obs("lint", odd, "--registry", registry, "--format", "json")
    assert (ran.code, codes(ran.out)) == (4, ["OBS102"])


def test_limits(tmp_path: Path) -> None:
    """A body beyond a limit is an error of its own, and what was not read is not called absent."""
    body = tmp_path / "m.txt"
    body.write_text(READY * 1 + "".join(f'acme_load{{cpu="{n}"}} 1\n' for n in range(50)))
    ran = obs("lint", body, "--max-series", "10", "--format", "json", "--select", "format,contract")
    assert codes(ran.out) == ["OBS111"]
    ran = obs("lint", body, "--max-bytes", "100", "--format", "json")
    assert (ran.code, codes(ran.out)) == (4, ["OBS110"])


def test_rules_replace_the_budgets(tmp_path: Path) -> None:
    """The rules that `obs generate` writes are read, and a tighter budget in them is kept to."""
    (artifact,) = CardinalityEmitter().emit(sources())
    rules, body = tmp_path / "cardinality.yaml", tmp_path / "m.txt"
    rules.write_bytes(artifact.content)
    body.write_text(
        "# HELP agent_tokens_total T.\n# TYPE agent_tokens_total counter\n"
        'agent_tokens_total{type="in"} 1\nagent_tokens_total{type="out"} 2\n'
    )
    command = ("lint", body, "--rules", rules, "--select", "cardinality", "--format", "json")
    assert codes(obs(*command).out) == []
    text = rules.read_text()
    at = text.index("agent_tokens_total:")
    rules.write_text(
        text[:at] + text[at:].replace("max_series_per_instance: 2", "max_series_per_instance: 1", 1)
    )
    assert codes(obs(*command).out) == ["OBS307"]
    ran = obs(*command, "--registry", lone_registry(tmp_path))
    assert "made from a registry with sha256" in ran.err
    rules.write_text("metrics: {x: 1}\n")
    ran = obs(*command)
    assert ran.code == 2
    assert "cardinality" in ran.err or "version" in ran.err


def test_growth_between_two_bodies(tmp_path: Path) -> None:
    """Two bodies of one target, or one and an earlier one, show which label grows; two targets do not."""
    first, second, other = (tmp_path / f"{name}.txt" for name in ("first", "second", "other"))
    head = "# HELP acme_jobs_total J.\n# TYPE acme_jobs_total counter\n"
    first.write_text(head + 'acme_jobs_total{job_name="a"} 1\n')
    second.write_text(head + "".join(f'acme_jobs_total{{job_name="{name}"}} 1\n' for name in "abc"))
    other.write_text("# HELP x_total X.\n# TYPE x_total counter\nx_total 1\n")
    tail = ("--select", "OBS311", "--format", "json")
    assert codes(obs("lint", first, second, *tail).out) == ["OBS311"]
    assert codes(obs("lint", second, "--before", first, *tail).out) == ["OBS311"]
    assert codes(obs("lint", first, "--before", second, *tail).out) == []
    assert codes(obs("lint", other, second, *tail).out) == []


def config(folder: Path, code: str, scope: str, until: str) -> Path:
    """Write an obs.yaml with one suppression."""
    path = folder / "obs.yaml"
    entry = f"  - {{code: {code}, scope: '{scope}', reason: moving, until: {until}}}\n"
    path.write_text("suppressions:\n" + entry)
    return path


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (("OBS207", "agent_*", "2999-12-31"), []),
        (("flag-value", "agent_ready", "2999-12-31"), []),
        (("OBS207", "agent_*", "2020-01-31"), ["OBS207", "OBS902"]),
        (("OBS207", "acme_*", "2999-12-31"), ["OBS207", "OBS901"]),
        (("OBS301", "*", "2999-12-31"), ["OBS207"]),
    ],
)
def test_suppressions(tmp_path: Path, entry: tuple[str, str, str], found: list[str]) -> None:
    """A suppression silences until its day; an unused or expired one is a finding, unless its check did not run."""
    body = tmp_path / "m.txt"
    body.write_text(READY.replace("ready 1", "ready 7"))
    where = config(tmp_path, *entry)
    registry = lone_registry(tmp_path)
    command = ("lint", body, "--config", where, "--select", "contract", "--registry", registry)
    ran = obs(*command, "--format", "json")
    assert (ran.code, sorted(codes(ran.out))) == (int(bool(found)), found)


def test_a_suppression_of_nothing_that_exists_is_an_error(tmp_path: Path) -> None:
    """A misspelt code would silence nothing for ever: it is refused."""
    body = tmp_path / "m.txt"
    body.write_text(READY)
    ran = obs("lint", body, "--config", config(tmp_path, "OBS999", "*", "2999-12-31"))
    assert ran.code == 2
    assert "no check is called `OBS999`" in ran.err


def test_a_baseline_is_made_and_only_shrinks(tmp_path: Path) -> None:
    """Today's findings are accepted, new ones fail, and what was fixed may not come back."""
    body, baseline = tmp_path / "m.txt", tmp_path / "baseline.json"
    registry = lone_registry(tmp_path)

    def run(load: str, *more: str) -> int:
        body.write_text(READY + load)
        return obs("lint", body, "--registry", registry, "--baseline", baseline, *more).code

    comma, dash = "acme_load 0,5\n", "acme-load 1\n"
    assert run(comma) == 3
    assert run(comma, "--update-baseline") == 0
    assert run(comma) == 0
    assert run(comma + dash) == 1
    assert run(comma + dash, "--update-baseline") == 1
    assert run("", "--update-baseline") == 0
    assert run(comma) == 1
    assert json.loads(baseline.read_text())["findings"] == []


def test_a_partial_run_keeps_the_rest_of_the_baseline(tmp_path: Path) -> None:
    """--update-baseline with --select leaves the entries of checks that did not run."""
    body, baseline = tmp_path / "m.txt", tmp_path / "baseline.json"
    body.write_text(READY + "acme_load 0,5\n")
    registry = lone_registry(tmp_path)
    command = ("lint", body, "--registry", registry, "--baseline", baseline, "--update-baseline")
    obs(*command)
    before = baseline.read_text()
    assert "OBS132" in before
    assert obs(*command, "--select", "cardinality").code == 0
    assert baseline.read_text() == before


def test_nothing_observed_writes_no_baseline(tmp_path: Path) -> None:
    """An empty body must not empty the baseline, nor make one that accepts emptiness."""
    body, baseline = tmp_path / "m.txt", tmp_path / "baseline.json"
    body.write_text("")
    assert obs("lint", body, "--baseline", baseline, "--update-baseline").code == 4
    assert not baseline.exists()


def test_a_profile_changes_only_severities(tmp_path: Path) -> None:
    """A consumer finds the same as a producer, and thinks less of drift."""
    body = tmp_path / "m.txt"
    body.write_text(READY + "# HELP agent_mood M.\n# TYPE agent_mood gauge\nagent_mood 1\n")
    seen = {}
    for profile in ("producer", "consumer"):
        ran = obs(
            "lint", body, "--profile", profile, "--registry", lone_registry(tmp_path), "--format", "json"
        )
        (target,) = json.loads(ran.out)["targets"]
        seen[profile] = [(one["code"], one["severity"]) for one in target["findings"]]
    assert seen == {"producer": [("OBS202", "error")], "consumer": [("OBS202", "info")]}


def test_the_list_and_the_pages() -> None:
    """--list names every check with its severities; `explain` prints the page of each, by code or slug."""
    listed = obs("lint", "--list")
    assert listed.code == 0
    rows = [line.split("\t") for line in listed.out.splitlines()]
    assert ["OBS206", "value-outside-domain", "contract", "error (consumer: info)"] in [
        row[:4] for row in rows
    ]
    assert any(row[0] == "K001" for row in rows)
    assert any(row[0] == "OBS901" for row in rows)
    assert {row[2] for row in map(str.split, obs("lint", "--list", "--select", "style").out.splitlines())}
    for name in ("OBS206", "obs206", "value-outside-domain"):
        ran = obs("explain", name)
        assert ran.code == 0
        assert ran.out.startswith("OBS206 value-outside-domain (contract, error)\n")
        assert "bad:\n" in ran.out
    ran = obs("explain", "OBS26")
    assert ran.code == 2
    assert "did you mean `OBS2" in ran.err


def test_a_yaml_file_is_judged_as_documents(tmp_path: Path) -> None:
    """ScaledObjects in a *.yaml file are judged by the scaling rules; bodies beside it by theirs."""
    from obs.checks.scaling import CHECKS  # noqa: PLC0415

    doc = next(doc for doc in CHECKS if doc.code == "K004")
    scaler, body = tmp_path / "so.yaml", tmp_path / "m.txt"
    scaler.write_text(doc.bad)
    body.write_text(READY)
    ran = obs("lint", scaler, body, "--registry", lone_registry(tmp_path), "--format", "json")
    assert "K004" in codes(ran.out)
    assert {target["source"] for target in json.loads(ran.out)["targets"]} == {str(scaler), str(body)}
    only = obs("lint", scaler, "--select", "K004", "--format", "json")
    assert set(codes(only.out)) == {"K004"}
    assert obs("lint", scaler, "--ignore", "scaling").code == 0


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [("a: [", 2, "not YAML"), ("", 4, "holds no document"), ("kind: Pod\n", 4, "no ScaledObject")],
)
def test_a_bad_document_hides_nothing(tmp_path: Path, text: str, code: int, says: str) -> None:
    """A YAML file that cannot be judged is told, and the bodies beside it are judged all the same."""
    other, body = tmp_path / "x.yaml", tmp_path / "m.txt"
    other.write_text(text)
    body.write_text(READY)
    ran = obs("lint", other, body, tmp_path / "gone.yaml", "--registry", lone_registry(tmp_path))
    assert ran.code == min(code, 3)
    assert says in ran.err
    assert "gone.yaml: no such file" in ran.err
    assert "m.txt: clean" in ran.out


def test_rules_are_judged_offline(tmp_path: Path) -> None:
    """A Prometheus rule file is held against the registry: a metric that is not there is found without a server."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("groups:\n  - name: g\n    rules:\n      - alert: A\n        expr: agent_readyy == 0\n")
    ran = obs("lint", rules, "--format", "json")
    assert ran.code == 1
    assert all(code.startswith("OBS6") for code in codes(ran.out))
    assert "agent_ready" in ran.out


def test_reports_for_machines_name_the_checks(tmp_path: Path) -> None:
    """JUnit passes a case for each check that found nothing; SARIF describes the rule of what was found."""
    body = tmp_path / "m.txt"
    body.write_text(READY.replace("ready 1", "ready 7"))
    registry = lone_registry(tmp_path)
    junit = obs("lint", body, "--registry", registry, "--format", "junit").out
    assert all(code in junit for code in ("OBS101", "OBS206", "OBS207", "OBS410"))
    assert "K001" not in junit
    (run,) = json.loads(obs("lint", body, "--registry", registry, "--format", "sarif").out)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["OBS207"]


def lint_process(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `python -m obs lint` as a process."""
    command = [sys.executable, "-m", "obs", "lint", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=REPO, check=False, timeout=120)


def test_the_process_itself() -> None:
    """The start that skips the framework behaves as the one that does not: codes, streams, help, errors."""
    ran = lint_process("-", stdin=b"acme 0,5\n")
    assert ran.returncode == 4
    assert b"OBS132" in ran.stdout
    assert b"0 samples" in ran.stderr
    ran = lint_process("--help")
    assert ran.returncode == 0
    assert b"Example: curl" in ran.stdout
    ran = lint_process("gone.txt")
    assert (ran.returncode, ran.stdout) == (3, b"")
    assert ran.stderr == b"obs: gone.txt: no such file; check the path\n"
    assert lint_process("--select", "nonsense", "-").returncode == 2


def test_heavy_libraries_stay_out_of_the_way() -> None:
    """Linting a body imports neither the framework nor what other commands need."""
    heavy = ("typer", "pydantic", "jsonschema", "jinja2", "grafanalib", "promql_parser", "http.client", "ssl")
    code = (
        "import sys\nfrom obs.cli.lint import run\n"
        "run(['-', '--select', 'format,contract,cardinality,style'])\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code]
    ran = subprocess.run(
        command, input=READY.encode(), capture_output=True, cwd=REPO, check=True, timeout=120
    )
    assert ran.stderr.decode().strip() == "[]"


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    """`obs lint … | head -1` shows no traceback."""
    body = tmp_path / "m.txt"
    body.write_text("".join(f"acme-{number} 1\n" for number in range(20_000)) + "a 1\n")
    command = f"{sys.executable} -m obs lint {body} --ignore absent-metric | head -1"
    ran = subprocess.run(command, shell=True, capture_output=True, cwd=REPO, check=False, timeout=120)
    assert b"OBS120" in ran.stdout
    assert b"Traceback" not in ran.stderr
