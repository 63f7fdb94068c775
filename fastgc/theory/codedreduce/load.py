"""What a load buys and costs in trees, and which stragglers they survive (codedreduce, II to III).

A straggler never answers, so its subtree is lost too; a parent answers if it is no straggler and at
least n − s of its n children answer.
"""

import math
from fractions import Fraction

from fastgc.errors import FastgcError
from fastgc.theory.cases.experiment_tables import compared, completion
from fastgc.theory.cases.statements import as_built, brute, built, finite, printed_number
from fastgc.theory.cases.studies import iid, tree, uniform
from fastgc.theory.codedreduce import paper
from fastgc.theory.common import check
from fastgc.theory.common.numerics import binomial_probabilities
from fastgc.theory.papers.claim import Cases, at

#: Trees of three layers that grow, with α = 1/2; the load that is survived there, 1/14.
_HALVES = [(n, 3, n // 2) for n in (12, 120, 1200, 12_000, 1_200_000)]
_HALF_LOAD = 0.0714
_TABLE = "Remark 1 and Table I"


@paper.elementwise
def tree_size(n: int, layers: int) -> float:
    """Workers N = n + … + n^L of the (n, L)-regular tree (codedreduce, Section III-A)."""
    return float(sum(n**layer for layer in range(1, layers + 1)))


def tree_load_fraction(n: int, layers: int, s: int) -> Fraction:
    """r_CR of `tree_load` as a fraction."""
    ratio = Fraction(n, s + 1)
    return 1 / sum((ratio**layer for layer in range(1, layers + 1)), Fraction(0))


@paper.states("theorem1.optimal.printed", "Theorem 1, optimality")
@at(
    [(3, 2, 1), (2, 2, 1), (2, 2, 0), (3, 2, 2), (2, 3, 1), (5, 1, 2)],
    brute("least_load"),
    as_built("largest_share"),
)
@paper.states("theorem1.load.printed", "Theorem 1 (5)")
@at(
    [(3, 2, 1), (12, 2, 5), (4, 3, 1), (5, 4, 2)],
    brute("allocated_load"),
    as_built("largest_share"),
)
def tree_load(n: int, layers: int, s: int) -> float:
    """CR loads the workers of the (n,L)-regular tree with r_CR = 1/(x + ... + x^L) of the data,
    x = n/(s+1): the most that any of them is allocated.

    theorem1.optimal.printed: No placement of the data that survives s stragglers per parent has
    less load than r_CR, and one has r_CR: the optimum of the linear programme over all placements
    """
    return float(tree_load_fraction(n, layers, s))


@paper.claim("gradient-coding.load.printed", "Section II-C")
def _() -> Cases:
    """Gradient coding loads each of N workers with (S+1)/N of the data, and no placement that any S
    stragglers leave whole needs less."""
    for n, s in ((3, 1), (156, 65), (84, 21)):
        yield built("largest_share", (s + 1) / n, n=n, layers=1, s=s)
    for n, s in ((3, 1), (5, 2)):
        yield finite("least_load", (s + 1) / n, n=n, layers=1, s=s)


@paper.elementwise
def tree_load_limit_printed(alpha: float, layers: int) -> float:
    """What r_CR is about (codedreduce, Remark 2): α^L, for small α."""
    _check_share(alpha)
    return alpha**layers


@paper.elementwise
def tree_load_limit(alpha: float, layers: int) -> float:
    """Limit α^L (1−α)/(1−α^L) of r_CR as n grows with s = αn (Remark 2, corrected)."""
    _check_share(alpha)
    return 1.0 / math.fsum(alpha**-layer for layer in range(1, layers + 1))


def _check_share(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise FastgcError(f"alpha: got {alpha}, but a share between 0 and 1 is needed")


@paper.states(
    "remark2.limit.small.derived",
    "Section I and Remark 2, for small alpha",
    "ratio",
    reads="remark2.limit.printed",
)
@at(
    [(inverse * 10**9, 3, 10**9) for inverse in (2, 20, 200, 2000, 20_000)],
    brute("balanced_load"),
    size=lambda n, s: n / s,
    rate=lambda n, s: s / n,
)
def _small_limit(n: int, layers: int, s: int) -> float:
    """r_CR is about alpha^L for small alpha: their ratio goes to 1 as alpha goes to 0 (L = 3, trees
    so large that (alpha n + 1)/n is alpha)."""
    return float(tree_load_limit_printed(s / n, layers))


@paper.states("remark2.limit.printed", "Section I and Remark 2", "missing condition")
@at(
    _HALVES[2:],
    lambda theory, **tree: printed_number(0, finite("star_to_tree_load", theory, **tree)),
)
def _reduction_by_limit(n: int, layers: int, s: int) -> float:
    """r_CR is about alpha^L at the remark's own instance, alpha = .5 and L = 3: three layers
    instead of one would then reduce the load alpha/alpha^3 = 4 times, where the remark says 7
    times, which is right for large n.
    Printed: r_CR = 1/Σ_(l=1)^L (n/(αn+1))^l ≈ α^L. For α = 0.5 as an instance, CR reduces the
    computation load 7× by rearranging the nodes from 1 layer to 3 layers"""
    return s / n / float(tree_load_limit_printed(s / n, layers))


@paper.states("remark2.limit.corrected", "Remark 2, corrected", "ratio")
@at(_HALVES, brute("balanced_load"), size=lambda n: n, rate=lambda n: 1 / n)
def _limit(n: int, layers: int, s: int) -> float:
    """r_CR goes to alpha^L (1-alpha)/(1-alpha^L) as n grows.
    Proof. For alpha = .5 and L = 3 the load is 1/14, 7 times less than alpha, as the paper says;
    alpha^3 would be 4 times less. With s = alpha n, n/(s+1) goes to 1/alpha, so that r_CR goes to
    1/(alpha^-1 + ... + alpha^-L), a geometric sum, which is near alpha^L for small alpha."""
    return float(tree_load_limit(s / n, layers))


@paper.states("remark2.seven.printed", "Remark 2", "ratio", "number")
@at(_HALVES, brute("star_to_tree_load"), size=lambda n: n, rate=lambda n: 1 / n)
def _seven(n: int, layers: int, s: int) -> float:
    """For alpha = 0.5, three layers instead of one reduce the load 7 times, read as n grows."""
    return 7


@paper.states("remark2.seven.derived", "Remark 2, at finite n")
@at([(4, 3, 2), (8, 3, 4), (12, 3, 6), (100, 3, 50)], brute("star_to_tree_load"))
def load_reduction(n: int, layers: int, s: int) -> float:
    """For alpha = 0.5 three layers instead of one reduce the load 2.81 (n = 4), 4.14 (8), 4.85
    (12), 6.67 (100) times."""
    workers = int(tree_size(n, layers))
    star = (Fraction(s * workers, n) + 1) / workers
    return float(star / tree_load_fraction(n, layers, s))


@paper.states("table1.resiliency.printed", _TABLE, "ratio")
@at(
    [(10**9, 2, 1 / inverse) for inverse in (10, 100, 1000, 10_000, 1_000_000)],
    brute("largest_resilience"),
    size=lambda load: round(1 / load),
    rate=lambda load: round(1 / load) ** -0.5,
)
@paper.states("table1.resiliency-star.printed", _TABLE, "ratio")
@at(
    [(n, 1, 0.25) for n in (12, 120, 1200, 12_000)],
    brute("largest_resilience"),
    size=lambda n: n,
    rate=lambda n: 1 / n,
)
def _resilience(n: int, layers: int, load: float) -> float:
    """With load r, gradient coding survives about the share r of N workers, read as N grows (r =
    1/4).

    table1.resiliency.printed: With load r, CR survives about the share r^(1/L) of every parent's
    children, read as r goes to 0, for the text does not say for which r: the largest share that
    fits, over r^(1/L), goes to 1 (L = 2)"""
    return float(load ** (1.0 / layers))


@paper.elementwise
def resiliency(load: float, layers: int) -> float:
    """Share α of stragglers that large trees survive at load r: α^−1 + … + α^−L = 1/r.

    At r = 1/L and above every share below 1 is survived.
    """
    check.probabilities(load=load)
    if load * layers >= 1.0:
        return 1.0
    from scipy import optimize  # its import takes longer than many a command

    # of 1/α
    def excess(inverse: float) -> float:
        return load * math.fsum(inverse**layer for layer in range(1, layers + 1)) - 1.0

    return 1.0 / float(optimize.brentq(excess, 1.0, 2.0 / load, xtol=1e-15))


_AT_ONCE = brute("messages_at_once")


@paper.states("table1.parallel.printed", _TABLE, "order")
@at([(n, 2, n // 3) for n in (10, 30, 100, 300)], _AT_ONCE, size=tree_size)
@paper.states("table1.parallel-deep.printed", _TABLE, "order")
@at([(n, 3, n // 3) for n in (12, 24, 48, 96)], _AT_ONCE, size=tree_size)
@paper.states("table1.parallel-star.printed", "Section II-C and Table I", "order")
@at([(n, 1, n // 3) for n in (12, 60, 300, 1500)], _AT_ONCE, size=tree_size)
def _parallel(n: int, layers: int, s: int) -> float:
    """Gradient coding has Theta(1) messages at once.

    table1.parallel.printed: CR has Theta(N^(1-1/L)) messages at once, where workers all take the
    same time (L = 2)

    table1.parallel-deep.printed: CR has Theta(N^(1-1/L)) messages at once, where workers all take
    the same time (L = 3)"""
    return float(tree_size(n, layers) ** ((layers - 1) / layers))


_PROOF = "Appendix C, optimality"
#: n, layers, s of trees small enough to try all sets of workers.
_SMALL = ((3, 2, 1), (3, 2, 2), (2, 3, 1), (2, 2, 0))


@paper.states("theorem1.allocation.printed", "Appendix C, (12), the display after it and (13)")
@at(
    [(3, 2, 1, 1), (3, 2, 1, 2), (4, 3, 1, 2), (4, 3, 1, 3), (5, 3, 2, 2)],
    brute("share_of_subtree"),
    as_built("share_of_subtree"),
)
def subtree_share(n: int, layers: int, s: int, layer: int) -> float:
    """CR gives every subtree of layer l the share y^l - r_CR (y^(l-1) + ... + y) of the data, y =
    (s+1)/n: (12) for l = 1, and for l = L (13), which is r_CR."""
    y = (s + 1) / n
    kept = math.fsum(y**above for above in range(1, layer))
    return y**layer - float(tree_load(n, layers, s)) * kept


@paper.states("theorem1.spread.printed", f"{_PROOF}, (14)", ">=")
@at(_SMALL, brute("fewest_subtrees"), as_built("fewest_subtrees"))
@paper.states("theorem1.claim1.printed", f"{_PROOF}, Claim 1 and (15)", ">=")
@at(_SMALL, brute("fewest_below", needless=False), as_built("fewest_below"))
def _copies(n: int, layers: int, s: int) -> float:
    """The subtrees of a node's n children hold s+1 times as much as its own less the r d that it
    may hold itself: each point that it does not hold is in s+1 of them at least, in a scheme whose
    points are in no more subtrees than (14) asks for, as is said before it.

    theorem1.spread.printed: What survives any s stragglers per parent places each data point in s+1
    subtrees of the master's children at least (the fewest, of all placements and in CR)"""
    return s + 1


@paper.states("theorem1.recursion.printed", f"{_PROOF}, displays after (15)", "<=")
@at(
    [
        (3, 2, 1, 4 / 15, 1),
        (3, 2, 1, 0.3, 1),
        (2, 2, 0, 0.2, 1),
        (2, 3, 0, 0.08, 1),
        (2, 3, 1, 0.4, 2),
    ],
    brute("largest_subtree"),
)
def subtree_bound(n: int, layers: int, s: int, load: float, layer: int) -> float:
    """A subtree of layer l holds at most r d (x^(L-l) + ... + x + 1), x = n/(s+1), r being the
    largest load (the most that it can hold, by a linear programme over all placements)."""
    return load * math.fsum((n / (s + 1)) ** below for below in range(layers - layer + 1))


#: The tree of Example 2, and the encoding matrix of (4).
_EXAMPLE = {"n": 3, "layers": 2, "s": 1}
_B = [[0.5, 1, 0], [0, 1, -1], [0.5, 0, 1]]
#: Polynomials of a larger tree take seconds.
LARGEST_TREE = 2000


@paper.claim("example2.printed", "Example 2", "number")
def _() -> Cases:
    """On the (3,2)-regular tree with load 4/15 all 256 patterns of at most one straggler per parent
    give the exact sum (failures, load)."""
    yield finite("example_failures", 0, scale=256)
    yield finite("example_load", tree_load(3, 2, 1))
    yield built("undecoded_patterns", 0, 256, **_EXAMPLE, rows=_B)
    yield built("largest_share", tree_load(3, 2, 1), **_EXAMPLE)


@paper.claim("example2.rows.corrected", "Example 2, corrected", of=(3,))
@paper.claim("example2.rows.printed", "Example 2, (4)", "misprint", "arithmetic", of=(1,))
def _(row: int) -> Cases:
    """Children 1 and 2 are decoded with the first row of A, [2, -1, 0], children 1 and 3 with the
    second.
    Printed: using the first row in A, it uploads m_(1,1) = [2, −1, 0][m_(2,1); m_(2,2); m_(2,3)] +
    … using the second row of decoding matrix A and surviving children (1,1) and (1,3)

    example2.rows.corrected: Children 1 and 2 are decoded with the third row of A, [2, -1, 0],
    children 1 and 3 with the second.
    Proof. The first row of A in (4) is [0, 1, 2], which takes nothing from child 1; [2, -1, 0] is
    the third."""
    yield finite("example_row", row, survivors=[1, 2])
    yield finite("example_row", 2, survivors=[1, 3])
    yield finite("example_coefficient", 2, row=row, child=1)


@paper.claim("example2.survivors.printed", "Example 2, node (1,1)", "misprint", "arithmetic")
def _() -> Cases:
    """Node (1,1) recovers its gradient, with the row [2, -1, 0], from the messages of two children,
    which the text calls (2,1) and (2,1) (what the row takes from each).
    Printed: Node (1,1) can recover from any 2 surviving children, e.g. from (2,1) and (2,1)"""
    for child, coefficient in ((1, 2), (2, 0), (3, 0)):
        yield finite("example_coefficient", coefficient, row=3, child=child)


@paper.claim("example2.survivors.corrected", "Example 2, corrected")
def _() -> Cases:
    """It takes the messages of children (2,1) and (2,2) and of no other.
    Proof. The two surviving children are (2,1) and (2,2): m_(1,1) is computed as 2 m_(2,1) -
    m_(2,2), and no row of A makes do with one child."""
    yield finite("example_row", 3, survivors=[1, 2])
    yield finite("example_coefficient", -1, row=3, child=2)
    yield finite("example_coefficient", 0, row=3, child=3)


@paper.claim("remark3.resilient.printed", "Remarks 2 and 3")
def _() -> Cases:
    """CR survives any s = alpha n stragglers below every parent, alpha N in all: all C(n,s)^(N/n)
    sets, and none of at most s below every parent is missed."""
    for n, layers, s in ((2, 2, 1), (3, 2, 1), (2, 3, 1)):
        sets = float(math.comb(n, s) ** (int(tree_size(n, layers)) // n))
        yield finite("spread_patterns_survived", sets, n=n, layers=layers, s=s)
        yield built("undecoded_patterns", 0, sets, n=n, layers=layers, s=s)


@paper.states("remark3.adversarial.printed", "Remark 3")
@at(
    [
        (n, layers, s, stragglers)
        for n, layers, s in ((12, 2, 5), (4, 3, 1), (3, 2, 1))
        for stragglers in (n, s + 1, s)
    ],
    brute("survives_first_layer"),
)
def _survives(n: int, layers: int, s: int, stragglers: int) -> float:
    """An adversary who makes stragglers of the master's children breaks CR (1 if it survives): all
    n of them are enough, s + 1 already, though not s."""
    return stragglers <= s


@paper.elementwise
def decodable_probability(
    n: int, layers: int, s: int, stragglers: int | None = None, p: float | None = None
) -> float:
    """Probability that the master of the (n, L)-regular tree gets the exact gradient.

    It is counted for a given number of ``stragglers``, all sets alike, or follows by recursion for
    iid stragglers, each with probability ``p``.
    """
    if p is not None:
        answers = 1.0 - p
        for _ in range(layers - 1):
            answers = (1.0 - p) * _at_least(n, n - s, answers)
        return _at_least(n, n - s, answers)
    workers = int(tree_size(n, layers))
    assert stragglers is not None
    check.count("stragglers", stragglers, 0, workers)
    if workers > LARGEST_TREE:
        raise FastgcError(
            f"n, layers: got a tree of {workers} workers, but patterns are counted up to "
            f"{LARGEST_TREE}; give p instead"
        )
    return decodable_patterns(n, layers, s)[int(stragglers)] / math.comb(workers, int(stragglers))


@paper.claim("remark3.random.derived", "Remark 3, extended to stragglers at random")
def _() -> Cases:
    """A straggler's subtree is lost too: of alpha N random stragglers CR on the (12,2)-regular
    tree, s = 5, survives 4.083 %; of iid stragglers with p = 5/12 9.94 %, with .3 71.0 %, with .2
    97.2 %."""
    large = {"n": 12, "layers": 2, "s": 5}
    for given in (
        large | {"stragglers": 65},
        {"n": 4, "layers": 3, "s": 1, "stragglers": 21},
        _EXAMPLE | {"stragglers": 4},
    ):
        yield finite("decodable_share", decodable_probability(**given), **given)
    yield finite("decodable_share", decodable_probability(12, 2, 5, p=5 / 12), **large, p=5 / 12)
    for *shape, stragglers in (
        (3, 2, 1, uniform(4)),
        (12, 2, 5, iid(0.3)),
        (12, 2, 5, iid(0.2)),
        (4, 3, 1, iid(0.1)),
    ):
        given = {key: stragglers[key] for key in ("stragglers", "p") if key in stragglers}
        run = completion(tree(*shape), measure="decodable", stragglers=stragglers)
        yield compared(run, decodable_probability(*shape, **given))


def decodable_patterns(n: int, layers: int, s: int) -> list[int]:
    """Number of sets of 0 … N stragglers that the (n, L)-regular tree survives."""
    answering = [1]
    size = 0
    for _ in range(layers):
        # a node that answers is no straggler; one that does not is everything else
        answering = [*answering, 0]
        size += 1
        silent = [math.comb(size, j) - count for j, count in enumerate(answering)]
        # Σ_{i ≤ s} C(n, i) answering^(n−i) silent^i by large whole numbers: evaluated at a power
        # of two so large that the coefficients do not touch
        size *= n
        bits = size + 2 * n + 2
        a, b = (sum(c << bits * j for j, c in enumerate(p)) for p in (answering, silent))
        total = sum(math.comb(n, i) * a ** (n - i) * b**i for i in range(s + 1))
        answering = [total >> bits * j & (1 << bits) - 1 for j in range(size + 1)]
    return answering


def _at_least(n: int, least: int, probability: float) -> float:
    return math.fsum(binomial_probabilities(n, probability)[least:].tolist())
