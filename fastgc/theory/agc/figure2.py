"""What agc reads off its Figure 2, on its own data sets: diabetes and iris.

They come with scikit-learn; Boston, the third, is no longer there. Steps and numbers of iterations
are not in the paper.
"""

from __future__ import annotations

from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import loss_difference
from fastgc.theory.cases.tables import Table, circulant, frc
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, SOMEWHERE, Case, Cases

DIABETES: Table = {"model": "logistic", "data": "diabetes", "binarize": "median"}
IRIS: Table = {"model": "softmax", "data": "iris"}
#: Problem, workers, iterations, and a size whose ten-thousandth part is below the differences.
CURVES = ((DIABETES, 8, 50, 1.0), (IRIS, 20, 30, 20.0))
#: Step, iterations, and the same.
DESCENTS = ((0.5, 10, 7.0), (0.1, 30, 9.0), (2.0, 10, 1.5))


@paper.claim(
    "training.shuffling.printed",
    "Sections I and V, Figure 2",
    relation="<",
    holds=SOMEWHERE,
    needs="data",
    category="figure",
)
def _() -> Cases:
    """Random shuffling lowers the training loss of FRC and of CRC on the diabetes data (n=8, d=2,
    the paper's probabilities) and on iris (n=20, d=2, the same probabilities in place of the
    cluster's), at steps and iterations that the paper does not give: at a step of 0.5, after 50
    iterations on diabetes and 30 on iris, the mean loss with it less that without."""
    shuffles = "random", "none"
    for problem, n, iterations, scale in CURVES:
        for code in (frc(n, 2), circulant(n, 2)):
            yield loss_difference((code, code), shuffles, problem, 0.5, iterations, scale=scale)


@paper.claim(
    "training.crc.printed",
    "Section V, Figure 2 (a) and (b)",
    NOT_REPRODUCIBLE,
    relation="<",
    category="figure",
    missing="the step, the number of iterations, the number of runs and their classes are not "
    "printed, and the Boston data are no longer there",
)
def _() -> Cases:
    """With shuffling, the training loss of CRC is less than that of FRC (n=8, d=2 and the paper's
    probabilities), on the Boston and on the diabetes data."""
    for data in ("boston", "diabetes"):
        yield Case({"data": data, "n": 8, "d": 2}, 0.0, {}, "loss")


@paper.claim(
    "training.crc.diabetes.derived",
    "Section V, Figure 2 (b), at steps and iterations of fastgc's own",
    relation=">",
    needs="data",
)
def _() -> Cases:
    """On the diabetes data, cut at the median, the mean loss of CRC with shuffling is above that of
    FRC after 10 iterations with a step of 0.5 or 2 and after 30 with a step of 0.1 (their
    difference; after one iteration with a step of 2 it is below)."""
    codes, shuffles = (circulant(8, 2), frc(8, 2)), ("random", "random")
    for step, iterations, scale in DESCENTS:
        yield loss_difference(codes, shuffles, DIABETES, step, iterations, scale=scale)
