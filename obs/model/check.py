"""What a check says about itself: the page of a code, without the code that judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obs.model.finding import Severity


@dataclass(frozen=True, slots=True)
class CheckDoc:
    """The documentation of one check, which `obs explain`, the docs pages and every reporter share.

    `code` and `slug` are stable and never reused (`OBS201`, `wrong-type`); `category` is what `--select`
    takes; `severity` is the default one, which a profile may change; `summary` is one sentence on what is
    reported and `why` one paragraph on why it matters; `bad` and `good` are complete inputs that trip the
    check and that do not; `remedy` is the general way out; `docs` is the path of the page in the repository
    (empty: `docs/checks/<code>.md`).
    """

    code: str
    slug: str
    category: str
    severity: Severity
    summary: str
    why: str
    bad: str = ""
    good: str = ""
    remedy: str = ""
    docs: str = ""

    @property
    def page(self) -> str:
        """Return the path of the check's page, relative to the top of the repository."""
        return self.docs or f"docs/checks/{self.code}.md"
