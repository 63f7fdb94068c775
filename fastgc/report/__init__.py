"""Rows, verdicts, audits, dry runs, datasheets and rankings for people and programs."""

from fastgc.report.codes import datasheet, searched
from fastgc.report.dry_runs import audit, dry_run, trial
from fastgc.report.listings import claim_rows, claims, definitions, formula, formulas
from fastgc.report.ranking import folder, measurement, remedies
from fastgc.report.recordings import fit, recording
from fastgc.report.tables import pivot, results
from fastgc.report.verdicts import (
    case_table,
    checks,
    disagreements,
    summary,
    verdict,
    verdict_rows,
    verdicts,
)
from fastgc.results.frames import as_csv, as_json
from fastgc.statistics.number_text import number

__all__ = [
    "as_csv",
    "as_json",
    "audit",
    "case_table",
    "checks",
    "claim_rows",
    "claims",
    "datasheet",
    "definitions",
    "disagreements",
    "dry_run",
    "fit",
    "folder",
    "formula",
    "formulas",
    "measurement",
    "number",
    "pivot",
    "recording",
    "remedies",
    "results",
    "searched",
    "summary",
    "trial",
    "verdict",
    "verdict_rows",
    "verdicts",
]
