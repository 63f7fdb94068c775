"""Systems of workers: who works on how much, and whose answers are waited for.

Each function returns what a study's ``system`` table of the same name describes.
`coded_reduce` and `layered` return more: the schemes themselves, to be run on real data; what a
study describes is their ``.system``.
"""

from fastgc.systems.batches import batches
from fastgc.systems.block import block
from fastgc.systems.by_speed import balanced, leave_out
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.composed import term
from fastgc.systems.gradient_code import gradient_code
from fastgc.systems.hierarchical import hierarchical
from fastgc.systems.k_of_n import k_of_n
from fastgc.systems.partial import partial
from fastgc.systems.relaxed import bounded_wait, drop_late, local_sgd
from fastgc.systems.replication import replication
from fastgc.systems.schemes.layered import LayeredProduct, layered
from fastgc.systems.schemes.reduction import CodedReduceTree, coded_reduce
from fastgc.systems.spare import clones, spare
from fastgc.systems.system import Candidates, Cluster, System
from fastgc.systems.timing.gates import Composed
from fastgc.systems.timing.later import Capped, Delayed, Patient
from fastgc.systems.timing.parts import Chunks, Layers, Replicated
from fastgc.systems.timing.stars import Flat, Own, Ring, Summed
from fastgc.systems.timing.structure import Structure
from fastgc.systems.timing.terms import Term, answers, at_least, constant
from fastgc.systems.timing.trees import Tree
from fastgc.systems.uncoded import ignore_stragglers, ring_all_reduce, uncoded

__all__ = [
    "Candidates",
    "Capped",
    "Chunks",
    "Cluster",
    "CodedReduce",
    "CodedReduceTree",
    "Composed",
    "Delayed",
    "Flat",
    "LayeredProduct",
    "Layers",
    "Own",
    "Patient",
    "Replicated",
    "Ring",
    "Structure",
    "Summed",
    "System",
    "Term",
    "Tree",
    "answers",
    "at_least",
    "balanced",
    "batches",
    "block",
    "bounded_wait",
    "clones",
    "coded_reduce",
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
