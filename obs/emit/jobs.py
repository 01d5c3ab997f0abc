"""The exit-code table as a Job's podFailurePolicy (contract section 7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from obs.documents.dump import to_yaml
from obs.emit.base import header
from obs.model.artifact import Artifact, ArtifactKind
from obs.specs.sources import Sources


class Intent(StrEnum):
    """What an exit code asks of whoever restarts the agent (contract section 7, a closed set)."""

    COMPLETE = "complete"
    TERMINAL = "terminal"
    RETRIABLE = "retriable"
    POLICY = "policy"
    INFRA = "infra"


@dataclass(frozen=True, slots=True)
class ExitCode:
    """A row of the frozen table."""

    code: int
    name: str
    intent: Intent


EXIT_CODES = (
    ExitCode(0, "EXIT_OK", Intent.COMPLETE),
    ExitCode(1, "EXIT_FAILURE", Intent.RETRIABLE),
    ExitCode(2, "EXIT_USAGE", Intent.TERMINAL),
    ExitCode(3, "EXIT_PARTIAL", Intent.POLICY),
    ExitCode(4, "EXIT_INTELLIGENCE", Intent.RETRIABLE),
    ExitCode(5, "EXIT_SEMANTIC", Intent.TERMINAL),
    ExitCode(6, "EXIT_MCP", Intent.RETRIABLE),
    ExitCode(7, "EXIT_BUDGET", Intent.POLICY),
    ExitCode(124, "EXIT_TIMEOUT", Intent.POLICY),
    ExitCode(137, "SIGKILL_EXIT", Intent.INFRA),
    ExitCode(143, "SIGTERM_EXIT", Intent.INFRA),
)
"""exit_codes 1.0 (contract section 7)."""

ACTIONS = {
    Intent.TERMINAL: "FailJob",
    Intent.POLICY: "FailJob",
    Intent.INFRA: "Ignore",
    Intent.RETRIABLE: "Count",
}
"""What Kubernetes does for an intent.

FailJob stops at once: another try cannot help (terminal), or spends a budget an operator has to raise first (policy).
Ignore does not count against backoffLimit: the node or the kernel ended the pod. Count retries, and is also what an
unknown code gets. `complete` needs no rule: a container that exits 0 has not failed.
"""


def codes_of(intent: Intent) -> tuple[int, ...]:
    """Return the exit codes of an intent, ascending."""
    return tuple(row.code for row in EXIT_CODES if row.intent is intent)


class JobsEmitter:
    """`jobs/pod-failure-policy.yaml`: a patch for the Jobs and CronJobs that run once and schedule agents."""

    kind: ClassVar[ArtifactKind] = ArtifactKind.JOBS

    def emit(self, sources: Sources) -> Iterator[Artifact]:
        """Yield the one file."""
        table = "\n".join(f"  {row.code:>3}  {row.name:<18} {row.intent}" for row in EXIT_CODES)
        text = (
            f"{header(sources)}\n\nPut `podFailurePolicy` under the spec of a Job (or of a CronJob's jobTemplate) whose"
            f" pods have restartPolicy: Never.\nExit codes (1.0) and what they ask for:\n{table}\n"
            "A code that is not listed counts as retriable."
        )
        yield Artifact(
            self.kind,
            "jobs/pod-failure-policy.yaml",
            to_yaml({"podFailurePolicy": policy()}, header=text),
            summary="podFailurePolicy from the exit-code table, to put into a Job",
        )


def policy() -> dict[str, Any]:
    """Return the podFailurePolicy (batch/v1). Order matters: Kubernetes takes the first rule that matches.

    A pod that was evicted or preempted says so in a condition; it is ignored whatever its exit code. The rule for
    retriable codes names none: `NotIn` of all codes that have another rule, so that an unknown code is retried.
    """
    decided = sorted(
        code for intent in (Intent.TERMINAL, Intent.POLICY, Intent.INFRA) for code in codes_of(intent)
    )
    return {
        "rules": [
            {
                "action": "Ignore",
                "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
            },
            _on_exit(Intent.INFRA),
            _on_exit(Intent.TERMINAL),
            _on_exit(Intent.POLICY),
            {
                "action": ACTIONS[Intent.RETRIABLE],
                "onExitCodes": {"operator": "NotIn", "values": [0, *decided]},
            },
        ]
    }


def _on_exit(intent: Intent) -> dict[str, Any]:
    return {"action": ACTIONS[intent], "onExitCodes": {"operator": "In", "values": list(codes_of(intent))}}
