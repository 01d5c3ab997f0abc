"""OBS103: the body is an HTML or XML page."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS103",
        slug="html-body",
        category="format",
        severity=Severity.ERROR,
        summary="The body is an HTML or XML document.",
        why=(
            "Somebody else answered: a login page, a proxy's error page, another port. Status 200 does not make "
            "it metrics."
        ),
        bad="<!DOCTYPE html><html><head><title>Sign in</title></head></html>\n",
        good=(
            '# HELP acme_jobs_total Jobs done.\n# TYPE acme_jobs_total counter\nacme_jobs_total{kind="a"} 1\n'
        ),
        remedy="Check the URL and what stands between you and the target.",
    )
)
