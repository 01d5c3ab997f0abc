"""From the names that the packaged sources use to the metrics of the registry in use.

The sources in dashboards/ and alerts/ are written for the frozen registry beside them (`home`). With another registry
(`--registry`) a name means the metric with the same name after the prefix, if that has the same type. What such a
registry does not have is left out with a note; what the home registry does not have either is a mistake in the source.
"""

from __future__ import annotations

from dataclasses import dataclass

from obs.documents.suggest import did_you_mean
from obs.model.metric import Metric, Registry
from obs.promql.catalog import Catalog
from obs.promql.check import ExpressionProblem, check_expression
from obs.registry.semantics import NEUTRAL_PREFIX


class LeftOutError(Exception):
    """The registry in use has no counterpart of what a source names; the item is left out with this note."""


class UnknownNameError(Exception):
    """A source names what its own registry does not have. The text is the message, `remedy` what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Resolver:
    """Names of sources to metrics.

    `registry` is the one in use, `home` the one the sources were written for; `later` are names of metrics that only
    later minors of the home registry have.
    """

    registry: Registry
    home: Registry
    catalog: Catalog
    later: frozenset[str] = frozenset()

    @property
    def foreign(self) -> bool:
        """Return whether the registry in use is not the one the sources were written for."""
        return self.registry.sha256 != self.home.sha256

    def metric(self, name: str) -> Metric:
        """Return the metric that a source calls `name`.

        Raise UnknownNameError when the sources' own registry has none, LeftOutError when only the one in use lacks it.
        """
        original = self.home.by_name.get(name)
        found = self.registry.by_name.get(self.registry.prefix + name.removeprefix(NEUTRAL_PREFIX))
        if original is None and found is None and name not in self.later:
            raise UnknownNameError(
                f"`{name}` is not a metric of the registry", did_you_mean(name, self.home.by_name)
            )
        if found is None:
            raise LeftOutError(f"the registry has no `{name}`")
        if original is not None and found.kind is not original.kind:
            raise LeftOutError(f"`{found.name}` is a {found.kind} here, not a {original.kind}")
        return found

    def check(self, expression: str) -> tuple[ExpressionProblem, ...]:
        """Return what is wrong with a finished expression.

        Raise LeftOutError instead when the registry in use is not the home one and the expression is well-formed: then
        it names a label or a value that this registry does not have.
        """
        problems = check_expression(expression, self.catalog)
        if problems and self.foreign and all(problem.kind != "syntax" for problem in problems):
            raise LeftOutError(problems[0].message)
        return problems
