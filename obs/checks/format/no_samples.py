"""OBS101: the body has no sample."""

from __future__ import annotations

from collections.abc import Iterator

from obs.checks.check import Check, Hit, hit
from obs.checks.context import Context
from obs.checks.places import Place
from obs.model.check import CheckDoc
from obs.model.finding import Severity

DOC = CheckDoc(
    code="OBS101",
    slug="no-samples",
    category="format",
    severity=Severity.ERROR,
    summary="The body has no sample.",
    why=(
        "An empty body is valid text and `up` is 1, so nothing alerts. The collector was not registered, the "
        "multiprocess folder is wrong, or the port is that of something else. The exit code is 4: nothing was observed."
    ),
    bad="# HELP acme_load Load.\n# TYPE acme_load gauge\n",
    good="# HELP acme_load Load.\n# TYPE acme_load gauge\nacme_load 1\n",
    remedy="Register the collectors with the registry that is served; check the port and the path.",
)


def find(context: Context) -> Iterator[Hit]:
    """Yield one hit for a body without samples, unless the parser has already said why there are none."""
    scrape = context.scrape
    if scrape.sample_count == 0 and not scrape.diagnoses:
        required = len(context.required)
        so = f"; all {required} metrics that are always there are absent" if required else ""
        message = f"no sample in {scrape.body_bytes} bytes{so}"
        yield hit(message, Place(), remedy=DOC.remedy, subject="*")


CHECK = Check(DOC, find)
