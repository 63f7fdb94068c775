"""Runs in parts and on many machines; what one will take, and what a file of one is worth.

`fastgc.run` carries a study out, and `fastgc.open` reads its file.
"""

from fastgc.registry.activity import Batch
from fastgc.results.rows import Result
from fastgc.runs.audits import Audit, audit
from fastgc.runs.cost import CostEstimate, dry_run
from fastgc.runs.merging import MergedResult, merge
from fastgc.runs.run import replay
from fastgc.statistics.estimates import Estimate

__all__ = [
    "Audit",
    "Batch",
    "CostEstimate",
    "Estimate",
    "MergedResult",
    "Result",
    "audit",
    "dry_run",
    "merge",
    "replay",
]
