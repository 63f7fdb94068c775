"""What the speed-ups of Figures 2 and 8 to 12 say of each other and of the model of Section III-C.

They are those of machines and cannot be recomputed. All schemes but SGD have the full gradient in
every iteration, so that a speed-up is a ratio of iteration times at any accuracy.
"""

from collections.abc import Iterable
from dataclasses import replace

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import finite, not_reproducible
from fastgc.theory.cases.tables import star, uncoded
from fastgc.theory.codedreduce import paper
from fastgc.theory.papers.claim import LOOSE, Cases
from fastgc.theory.papers.points import at

#: Speed-ups of CR over UMW, GC, RAR and SGD, as the text and the captions print them.
_SPEEDUPS = {
    "2": (22.5, 6.4, 4.3),
    "8": (32.8, 5.3, 3.8, 3.2),
    "9a": (32.3, 27.2, 7.0, 25.4),
    "9b": (29.3, 23.3, 6.4, 21.9),
    "9c": (25.0, 16.8, 5.4, 15.4),
    "10": (24.1, 4.6, 3.0, 2.8),
    "11a": (31.7, 22.0, 5.2, 20.7),
    "11b": (27.1, 18.1, 4.4, 16.8),
    "11c": (22.2, 13.7, 3.6, 13.0),
    "12": (11.3, 9.7, 1.69, 6.1),
}
_GISETTE = ("8", "9a", "9b", "9c")


@paper.claim(
    "figures.speedups.printed",
    "Abstract, Figures 2 and 8 to 12",
    category="figure",
    missing="they are those of EC2 machines, whose a, mu and t_c are not printed; Figure 2 does "
    "not say alpha, d and p either",
)
def _() -> Cases:
    """On EC2, CR is up to so many times as fast as UMW, GC, RAR and SGD."""
    for figure, speedups in _SPEEDUPS.items():
        for scheme, speedup in zip(("UMW", "GC", "RAR", "SGD"), speedups, strict=False):
            digits = 2 if speedup == 1.69 else 1
            yield not_reproducible("speed-up", speedup, digits, figure=figure, over=scheme)


@paper.states("figures.gc.load.printed", "Section IV-A, first and second data set")
@at(
    [(84, 21), (156, 13), (156, 26), (156, 39)],
    lambda theory, workers, stragglers: timed(
        completion(star(workers, stragglers), measure="load"),
        theory,
        against=completion(uncoded(workers), measure="load"),
        how="ratio",
    ),
)
def _load(workers: int, stragglers: int) -> float:
    """A worker of GC computes S + 1 times as much as one of UMW."""
    return stragglers + 1


@paper.claim("figures.gc.printed", "Section IV-A", relation=">", category="figure")
def _() -> Cases:
    """In the experiments GC takes less time than UMW (UMW's time over GC's by the printed
    speed-ups)."""
    return _over((figure for figure in _SPEEDUPS if figure != "2"), 0, 1)


@paper.claim("figures.sgd.printed", "Section IV-A", relation=">=", category="figure")
def _() -> Cases:
    """In the experiments with GISETTE SGD is as fast as GC or faster (GC's time over SGD's by the
    printed speed-ups)."""
    return _over(_GISETTE, 1, 3)


@paper.claim("figures.ring.printed", "Section IV-A", LOOSE, relation=">", category="figure")
def _() -> Cases:
    """In the experiments with GISETTE RAR takes less time than UMW and GC for both numbers of
    workers (theirs over RAR's by the printed speed-ups)."""
    yield from _over(_GISETTE, 0, 2)
    yield from _over(_GISETTE, 1, 2)


@paper.claim("figures.ring-of-156.printed", "Section IV-A", LOOSE, relation=">", category="figure")
def _() -> Cases:
    """With 156 workers RAR takes less time than every scheme with a master, SGD among them (SGD's
    time over RAR's by the printed speed-ups)."""
    return _over(("9a", "9b", "9c"), 3, 2)


def _over(figures: Iterable[str], a: int, b: int) -> Cases:
    """One scheme's time over another's by the printed speed-ups over both."""
    for figure in figures:
        first, second = _SPEEDUPS[figure][a], _SPEEDUPS[figure][b]
        case = finite("speedup_over", 1.0, first=first, second=second)
        yield replace(case, point={"figure": figure})
