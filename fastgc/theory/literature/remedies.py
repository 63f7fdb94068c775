"""What clones cost: Aktas, Peng, Soljanin (arXiv:1710.00748)."""

from dataclasses import replace

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import Table, exponential, whole
from fastgc.theory.cases.tables import maker as table
from fastgc.theory.literature import paper
from fastgc.theory.literature.sources import SOURCES
from fastgc.theory.papers.claim import Case, Cases

CLONES = SOURCES["1710.00748"]
_clones = table("family", "clones", "n", "r", "after")
#: (n, r, after, mean) of clones.
_CLONED = ((4, 2, 0.5, 1.0), (10, 2, 1.0, 1.0), (6, 3, 0.3, 2.0), (5, 2, 0.0, 1.0))


@paper.claim("clones.cost.derived", f"Derived, for what {CLONES} says: delay saves no work")
def _() -> Cases:
    """n pieces of exponential work cost n times the mean in seconds of all workers, however many
    copies there are and whenever they begin: all copies that run are as likely to end next."""
    for n, r, after, mean in _CLONED:
        yield _worked(whole(_clones(n, r, after)), exponential(mean), n * mean)


def _worked(system: Table, latency: Table, theory: float) -> Case:
    """Compare seconds of work, whose law is known of no system: they are sampled."""
    case = timed(completion(system, latency, measure="worker_seconds"), theory)
    return replace(case, tolerance=0.01)
