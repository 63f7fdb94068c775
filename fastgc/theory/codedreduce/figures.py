"""What the speed-ups of Figures 2 and 8 to 12 say of each other and of the model of Section III-C.

They are those of machines and cannot be recomputed. All schemes but SGD have the full gradient in
every iteration, so that a speed-up is a ratio of iteration times at any accuracy.
"""

from collections.abc import Iterable
from dataclasses import replace

from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.statements import finite, not_reproducible, printed_number
from fastgc.theory.cases.tables import exponential, star, tree, uncoded
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.load import star_load, tree_load, tree_size
from fastgc.theory.codedreduce.time import check_times
from fastgc.theory.common.order_statistics import exponential_order_mean
from fastgc.theory.papers.claim import LOOSE, NOT_REFUTED, Cases

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
#: Children per parent, layers, stragglers per parent, and stragglers of GC's alpha N.
_TREES = {
    "8": (4, 3, 1, 21),
    "9a": (12, 2, 1, 13),
    "9b": (12, 2, 2, 26),
    "9c": (12, 2, 3, 39),
    "10": (4, 3, 1, 21),
    "11a": (12, 2, 1, 13),
    "11b": (12, 2, 2, 26),
    "11c": (12, 2, 3, 39),
    "12": (12, 2, 3, 39),
}
_GISETTE = ("8", "9a", "9b", "9c")
#: Seconds a, 1/mu and t_c: work alone, some of both, mostly messages.
_TIMES = ((0.0, 1.0, 0.0), (0.1, 1.0, 0.003), (0.0, 0.5, 0.05))


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


@paper.claim("figures.master-and-ring.derived", "Figure 2 beside Figures 8 and 10")
def _() -> Cases:
    """By the printed speed-ups UMW takes 5.23 times as long as RAR in Figure 2, 8.63 and 8.03 times
    in Figures 8 and 10, which are of 84 workers as well: as alpha has no bearing on either scheme,
    Figure 2 is of another experiment than Figure 10, of the same N and a linear model."""
    for figure, ratio in (("2", 5.23), ("8", 8.63), ("10", 8.03)):
        over, ring = _SPEEDUPS[figure][0], _SPEEDUPS[figure][2]
        case = finite("speedup_over", ratio, first=over, second=ring)
        yield printed_number(2, replace(case, point={"figure": figure}))


@paper.claim("figures.alike.derived", "Figures 9 and 11, whose panels differ in alpha alone")
def _() -> Cases:
    """As alpha has no bearing on UMW and RAR, UMW's time over RAR's should be the same in all three
    panels: by the printed speed-ups it is, within their rounding (largest least ratio less smallest
    largest one, 0 where they meet), and in Figures 2 and 10 it is not, by 2.58."""
    for figures, gap in (
        (("9a", "9b", "9c"), 0.0),
        (("11a", "11b", "11c"), 0.0),
        (("2", "10"), 2.58),
    ):
        pairs = [(_SPEEDUPS[figure][0], _SPEEDUPS[figure][2]) for figure in figures]
        case = finite("ratios_apart", gap, pairs=pairs, half=0.05)
        yield printed_number(2, replace(case, point={"figures": list(figures)}))


@paper.claim("figures.gc.load.printed", "Section IV-A, first and second data set")
def _() -> Cases:
    """A worker of GC computes S + 1 times as much as one of UMW."""
    for workers, stragglers in ((84, 21), (156, 13), (156, 26), (156, 39)):
        own, other = (
            completion(system, measure="load")
            for system in (star(workers, stragglers), uncoded(workers))
        )
        yield timed(own, stragglers + 1.0, against=other, how="ratio")


@paper.claim("figures.gc.printed", "Section IV-A", relation=">", category="figure")
def _() -> Cases:
    """In the experiments GC takes less time than UMW (UMW's time over GC's by the printed
    speed-ups)."""
    return _over(_TREES, 0, 1)


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


@paper.claim("figures.ring-of-84.derived", "Section IV-A: similar to SGD", relation="<")
def _() -> Cases:
    """With 84 workers RAR takes more time than SGD, by 7 and 19 % (SGD's time over RAR's by the
    printed speed-ups)."""
    return _over(("8", "10"), 3, 2)


@paper.elementwise
def most_speedup(n: int, layers: int, s: int, stragglers: int) -> float:
    """Bound of the mean time of GC over that of CR by Section III-C, whatever a, μ and t_c.

    GC has N = n + … + n^L workers with so many stragglers, 0 for UMW. It takes at most X_(N−S) +
    (N−S) t_c, and CR at least L(n−s) t_c and at least the (n−s)-th of the first layer's own times;
    the ratio of the times of work is largest at a = 0 or 1/μ = 0. Derived.

    >>> round(most_speedup(12, 2, 1, 0), 3), round(most_speedup(12, 2, 1, 13), 3)
    (7.812, 10.891)
    """
    check_times(n, layers, s, 1.0, 0.0, 0.0)
    workers = int(tree_size(n, layers))
    more = float(star_load(workers, stragglers)) / float(tree_load(n, layers, s))
    random = float(exponential_order_mean(workers, workers - stragglers, 1.0, 0.0))
    random /= float(exponential_order_mean(n, n - s, 1.0, 0.0))
    return (workers - stragglers) / (layers * (n - s)) + more * max(1.0, random)


@paper.claim("figures.most.derived", "Section III-C", NOT_REFUTED, relation="<=")
def _() -> Cases:
    """By the model GC takes at most (N-S)/(L(n-s)) plus r_GC/r_CR times the larger of 1 and (H_N -
    H_S)/(H_n - H_s) times as long as CR, and so does UMW with S = 0, whatever a, mu and t_c."""
    shapes = ((6, 2, 2, 0), (6, 2, 1, 14), (12, 2, 1, 0))
    for (n, layers, s, stragglers), (a, mean, receive) in zip(shapes, _TIMES, strict=True):
        bound = most_speedup(n, layers, s, stragglers)
        law = exponential(mean, a)
        slow, fast = (
            completion(system, law, receive=receive)
            for system in (star(int(tree_size(n, layers)), stragglers), tree(n, layers, s))
        )
        case = timed(slow, bound, against=fast, how="ratio")
        yield replace(case, tolerance=0.02)  # of the samples beside the exact means


@paper.claim("figures.beyond.derived", "Figures 8 to 12, beside Section III-C", LOOSE, relation=">")
def _() -> Cases:
    """The printed speed-ups over UMW, and those over GC of Figures 9 and 11, are larger than the
    model allows whatever a, mu and t_c are: there is something in the clusters' times that Section
    III-C leaves out."""
    for figure, (n, layers, s, stragglers) in _TREES.items():
        over_umw, over_gc, *_ = _SPEEDUPS[figure]
        yield from _beyond(figure, over_umw, most_speedup(n, layers, s, 0))
        if figure[:-1] in ("9", "11"):
            yield from _beyond(figure, over_gc, most_speedup(n, layers, s, stragglers))


def _beyond(figure: str, printed: float, bound: float) -> Cases:
    case = finite("speedup_over", bound, first=printed, second=1.0)
    yield replace(case, point={"figure": figure, "printed": printed})


def _over(figures: Iterable[str], a: int, b: int) -> Cases:
    """One scheme's time over another's by the printed speed-ups over both."""
    for figure in figures:
        first, second = _SPEEDUPS[figure][a], _SPEEDUPS[figure][b]
        case = finite("speedup_over", 1.0, first=first, second=second)
        yield replace(case, point={"figure": figure})
