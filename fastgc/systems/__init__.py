"""Systems of workers: who works on how much, and whose answers are waited for.

Each function returns what a study's ``system`` table of the same name describes.
`coded_reduce` and `layered` return more: the schemes themselves, to be run on real data; what a
study describes is their ``.system``. `complete` says when a system is complete, from times.
"""

from fastgc.systems.chunks import batches, partial
from fastgc.systems.coded import block, gradient_code, k_of_n, replication
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.rules import hierarchical
from fastgc.systems.schemes import coded_reduce, layered
from fastgc.systems.system import Candidates, Cluster, System, term
from fastgc.systems.timing.completing import Completion, complete
from fastgc.systems.timing.terms import Term, answers, at_least, constant
from fastgc.systems.timing.timed_structure import Structure
from fastgc.systems.uncoded import (
    balanced,
    bounded_wait,
    clones,
    drop_late,
    ignore_stragglers,
    leave_out,
    local_sgd,
    ring_all_reduce,
    spare,
    uncoded,
)

__all__ = [
    "Candidates",
    "Cluster",
    "CodedReduce",
    "Completion",
    "Structure",
    "System",
    "Term",
    "answers",
    "at_least",
    "balanced",
    "batches",
    "block",
    "bounded_wait",
    "clones",
    "coded_reduce",
    "complete",
    "constant",
    "drop_late",
    "gradient_code",
    "hierarchical",
    "ignore_stragglers",
    "k_of_n",
    "layered",
    "leave_out",
    "local_sgd",
    "partial",
    "replication",
    "ring_all_reduce",
    "spare",
    "term",
    "uncoded",
]
