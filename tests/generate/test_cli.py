"""`obs generate`, `obs init` and `obs registry` as a person types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.home import REPO, registry_data


def obs(*words, cwd=REPO, env=None, stdin=None):
    """Run the command line in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(REPO), **(env or {})}
    return subprocess.run(
        [sys.executable, "-m", "obs", *map(str, words)],
        cwd=cwd, env=environment, capture_output=True, text=True, input=stdin, check=False,
    )  # fmt: skip


def tree(out):
    """Path -> bytes of a written tree."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_the_main_job_needs_no_configuration(tmp_path):
    """In an empty directory one command writes the tree and says what to do next."""
    done = obs("generate", "--out", "deploy/", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kubectl apply -k deploy" in done.stdout
    assert {"README.md", "kustomization.yaml", "docs/metrics.md", "lint/cardinality.yaml"} <= set(
        tree(tmp_path / "deploy")
    )


def test_check_says_which_files_are_not_current(tmp_path):
    """Exit 0 when current, 1 on a hand edit or a missing file, and nothing is written."""
    obs("generate", "--out", tmp_path)
    assert obs("generate", "--out", tmp_path, "--check").returncode == 0
    (tmp_path / "README.md").write_text("edited")
    (tmp_path / "lint" / "cardinality.yaml").unlink()
    done = obs("generate", "--out", tmp_path, "--check")
    assert done.returncode == 1
    assert "README.md: changed" in done.stdout
    assert "lint/cardinality.yaml: new" in done.stdout
    assert (tmp_path / "README.md").read_text() == "edited"


def test_exact_check_finds_an_orphan(tmp_path):
    """A file no emitter makes is drift in a committed tree."""
    obs("generate", "--out", tmp_path)
    (tmp_path / "stray.yaml").write_text("x: 1\n")
    assert obs("generate", "--out", tmp_path, "--check").returncode == 0
    done = obs("generate", "--out", tmp_path, "--check", "--exact")
    assert done.returncode == 1
    assert "stray.yaml: not written by obs" in done.stdout


def test_diff_is_unified_and_writes_nothing(tmp_path):
    """A person sees the change before it happens."""
    obs("generate", "--out", tmp_path)
    path = tmp_path / "kustomization.yaml"
    path.write_text(path.read_text().replace("kind: Kustomization", "kind: Nothing"))
    before = tree(tmp_path)
    done = obs("generate", "--out", tmp_path, "--diff")
    assert done.returncode == 1
    assert "--- a/kustomization.yaml\n+++ b/kustomization.yaml\n" in done.stdout
    assert "-kind: Nothing\n+kind: Kustomization\n" in done.stdout
    assert tree(tmp_path) == before


def test_only_writes_the_named_parts(tmp_path):
    """`--only` is repeatable; an unknown part is exit 2 with the nearest word."""
    obs("generate", "--out", tmp_path, "--only", "lint", "--only", "jobs")
    assert {path.split("/")[0] for path in tree(tmp_path)} == {"lint", "jobs", ".obs-manifest.json"}
    done = obs("generate", "--out", tmp_path, "--only", "dashboard")
    assert done.returncode == 2
    assert "did you mean `dashboards`?" in done.stderr


def test_a_foreign_file_is_not_overwritten(tmp_path):
    """Exit 2, the file named, and nothing at all written."""
    (tmp_path / "README.md").write_text("mine")
    done = obs("generate", "--out", tmp_path)
    assert done.returncode == 2
    assert "README.md: was not written by obs" in done.stderr
    assert list(tree(tmp_path)) == ["README.md"]


def test_typos_of_all_inputs_come_together_and_nothing_is_written(tmp_path):
    """A wrong configuration and a wrong registry in one run are both explained."""
    config, registry = tmp_path / "obs.yaml", tmp_path / "r.json"
    config.write_text("grafana: {folder: A}\nfleet: []\n")
    data = registry_data()
    data["metrics"][0]["type"] = "gage"
    registry.write_text(json.dumps(data))
    done = obs("generate", "--out", tmp_path / "deploy", "--config", config, "--registry", registry)
    assert done.returncode == 2
    assert "obs.yaml:2:1: unknown key `fleet`; did you mean `fleets`?" in done.stderr
    assert "$.metrics[0].type: unknown type `gage`" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "deploy").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("generate", "--out", "d", "--config", "nowhere.yaml"), 3),
        (("generate", "--out", "d", "--registry", "nowhere.json"), 3),
        (("generate", "--out", "d", "--check", "--diff"), 2),
        (("generate",), 2),
        (("generate", "--out", "d", "--bogus"), 2),
        (("nonsense",), 2),
        (("registry", "validate", "nowhere.json"), 3),
        (("--version",), 0),
        (("generate", "--help"), 0),
    ],
)
def test_exit_codes(tmp_path, words, code):
    """2 is a command line or configuration, 3 an input that cannot be read; never a traceback."""
    done = obs(*words, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_same_input_same_bytes_everywhere(tmp_path):
    """Hash seed, locale, time zone, working directory and the registry's order change nothing."""
    data = registry_data()
    data["metrics"].reverse()
    data["autoscaling_signal_subset"].reverse()
    turned = tmp_path / "turned.json"
    turned.write_text(json.dumps(dict(reversed(list(data.items())))))
    obs("generate", "--out", tmp_path / "a", env={"PYTHONHASHSEED": "1", "TZ": "UTC"})
    words = ("--registry", turned, "--config", REPO / "examples" / "obs.yaml")
    env = {"PYTHONHASHSEED": "99", "TZ": "Asia/Tokyo", "LC_ALL": "C", "LANG": "C"}
    done = obs("generate", "--out", tmp_path / "b", *words, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_init_writes_what_generate_reads(tmp_path):
    """The written obs.yaml is the default: the same bytes come out; a second init does not overwrite it."""
    assert obs("init", cwd=tmp_path).returncode == 0
    obs("generate", "--config", "obs.yaml", "--out", "a", cwd=tmp_path)
    obs("generate", "--out", "b", cwd=tmp_path)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")
    again = obs("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "is there already" in again.stderr
    assert obs("init", "--force", cwd=tmp_path).returncode == 0


def test_init_prints_the_schema():
    """An editor can use it."""
    assert json.loads(obs("init", "--schema").stdout)["title"] == "obs.yaml"


def test_registry_commands():
    """A registry can be looked at, judged and hashed from the shell."""
    assert len(obs("registry", "show").stdout.splitlines()) == 51
    valid = obs("registry", "validate", "registry/metrics.registry.json")
    assert "valid, 51 metrics" in valid.stdout
    assert obs("registry", "show", "--sha256").stdout.strip() in valid.stdout


def test_a_closed_pipe_is_not_an_error_message(tmp_path):
    """`obs … | head -1` prints a line and nothing else."""
    command = f"{sys.executable} -m obs registry show | head -1"
    done = subprocess.run(
        command, shell=True, cwd=REPO, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(REPO)},
    )  # fmt: skip
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


@pytest.mark.parametrize("words", [("--help",), ("generate", "--help")])
def test_help_starts_without_heavy_imports(words):
    """Nothing that a help text does not need is imported (grafanalib, jinja2, jsonschema, yaml, promql-parser)."""
    code = (
        "import sys; sys.argv = ['obs', *sys.argv[1:]]\n"
        "from obs.cli.entry import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'grafanalib', 'jinja2', 'jsonschema', 'yaml', 'promql_parser', 'prometheus_client', 'rich'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=REPO, capture_output=True, text=True, check=True
    )
    assert "HEAVY []" in done.stdout
    assert "Usage" in done.stdout


@pytest.mark.parametrize("value", [".nan", ".inf", "-.inf"])
def test_a_threshold_that_is_no_number_is_refused(tmp_path, value):
    """YAML knows numbers that no limit can have: a line with the place, and nothing is written."""
    config = tmp_path / "obs.yaml"
    config.write_text(f"thresholds: {{saturation_target: {value}}}\n")
    done = obs("generate", "--config", config, "--out", tmp_path / "deploy")
    assert done.returncode == 2
    assert done.stderr.startswith(f"obs: {config}:1:14: `saturation_target`: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "deploy").exists()


def test_a_part_of_the_tree_is_no_tree_to_apply(tmp_path):
    """With `--only` nobody is sent to a README that was not written."""
    done = obs("generate", "--out", tmp_path, "--only", "jobs")
    assert (done.returncode, "README" in done.stdout) == (0, False)
