"""OBS122: a quoted name that was not negotiated."""

from __future__ import annotations

from obs.checks.check import FormatCheck
from obs.model.check import CheckDoc
from obs.model.finding import Severity

CHECK = FormatCheck(
    CheckDoc(
        code="OBS122",
        slug="quoted-name",
        category="format",
        severity=Severity.ERROR,
        summary="A metric or label name is in quotes.",
        why=(
            "Quoted UTF-8 names are for servers that asked for them (`escaping=allow-utf-8`). Others drop the "
            "whole scrape."
        ),
        bad=(
            "# HELP acme_load Load.\n"
            "# TYPE acme_load gauge\n"
            "acme_load 1\n"
            '# HELP "acme.load.max" Load.\n'
            '# TYPE "acme.load.max" gauge\n'
            '{"acme.load.max"} 4\n'
        ),
        good=(
            "# HELP acme_load Load.\n"
            "# TYPE acme_load gauge\n"
            "acme_load 1\n"
            "# HELP acme_load_max What it is.\n"
            "# TYPE acme_load_max gauge\n"
            "acme_load_max 4\n"
        ),
        remedy="Write quoted names only to those who ask for them; use a plain name otherwise.",
    )
)
