"""How often verdicts on limits err: ``python -m bench.limits [--replications N]``.

True and wrong statements as n grows are made at random, of each kind: a limit with its value, one
with a rate, of one order (Θ), of at most an order (O), and of less than an order (o); values are
those of formulas, exact or with an error of sampling. Of true ones at most the stated share may be
refuted; of wrong ones none may be confirmed but where the limit is off by less than the verdict
says it may be. What is true is known, for it is made here.
"""

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np

from bench.intervals import NONE, Promise, Setting, judge
from fastgc.results.verdict_data import REFUTED, UNDECIDED
from fastgc.theory.papers.claim import CONFIRMED, Case, Claim, Limit, Relation, unfit_sizes
from fastgc.validation import growth

ALPHA = 0.01
ALLOWED = Promise(0.0, ALPHA)
STATEMENTS = 1000
SIGNIFICANCE = ALPHA / 10  # of one interval among ten
#: Standard errors of sampled values, as shares of them: what sampling to .2 % comes to, and better.
ERRORS = (1e-5, 5e-4)

#: Like which powers of log n values may go: as slowly as is reckoned with, and faster.
SLOW = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)

Random = np.random.Generator
Formula = Callable[[float], float]


@dataclass(frozen=True)
class Statement:
    """A statement as n grows, what is measured, and whether it is true.

    ``off`` is by how much a stated value differs from the limit.
    """

    relation: Relation
    limit: Limit
    theory: Formula
    value: Formula
    is_true: bool
    rate: Formula | None = None
    off: float = 0.0


def sizes(random: Random) -> list[float]:
    """Four to eight sizes over two to five decades."""
    start = int(random.integers(2, 30))
    decades, points = random.uniform(2.0, 5.0), int(random.integers(4, 9))
    found = [
        float(round(start * 10 ** (decades * i / (points - 1) + 0.02 * (i == points - 1))))
        for i in range(points)
    ]
    return found if not unfit_sizes(found) else sizes(random)


def slowly(random: Random) -> Formula:
    """Something that grows without limit: a power of log n, or log log n, and less beside it."""
    power, more = random.choice([*SLOW, 0.0]), random.uniform(-0.5, 2)
    faster = random.uniform(0.3, 2.0)
    kind = random.integers(3)

    def value(n: float) -> float:
        log = math.log(n)
        left = (0.0, more / log, more * n**-faster)[kind]
        return (log**power if power else math.log(log + 1)) * (1 + left)

    return value


def falling(random: Random) -> Formula:
    """Something that vanishes: like a power, with a second term, a logarithm, or slowly."""
    a = random.choice([-1, 1]) * 10 ** random.uniform(-1, 1)
    b, more, faster = random.uniform(0.3, 2.0), random.uniform(-1, 1), random.uniform(0.3, 1.0)
    kind, slow = random.integers(5), slowly(random)
    if kind == 0:
        return lambda n: a * n**-b * (1 + more * n**-faster)
    if kind == 4:
        return lambda n: a / slow(n)
    if kind == 1:
        return lambda n: a * n**-b + more * a * n ** (-b - 1)
    if kind == 2:
        return lambda n: a * math.log(n) * n**-b
    return lambda n: a * math.log(n) ** -(0.5 + b)


def of_a_value(random: Random, is_true: bool) -> Statement:
    """The limit is a stated number; a wrong one is off by a share of the first deviation."""
    limit, left = 10 ** random.uniform(-1, 1), falling(random)
    share = 0.0 if is_true else random.choice([-1, 1]) * 10 ** random.uniform(-2, 1)
    off = share * abs(left(10.0))
    return Statement(
        "=", "difference", lambda n: limit - off, lambda n: limit + left(n), is_true, off=abs(off)
    )


def of_a_rate(random: Random, is_true: bool) -> Statement:
    """A deviation and its rate; a wrong one is faster by a power of .1 to 1, or of log n."""
    a, b = 10 ** random.uniform(-1, 1), random.uniform(0.2, 1.5)
    more, second = random.uniform(-0.9, 3), random.uniform(0.5, 1.5)
    loose = random.choice([0.0, random.uniform(0, 0.5)])
    power = b * (1 - loose) if is_true else b + random.choice([0.0, random.uniform(0.1, 1.0)])
    slow = slowly(random) if power == b and not is_true else lambda n: 1.0
    return Statement(
        "=",
        "difference",
        lambda n: 1.0,
        lambda n: 1.0 + a * n**-b * (1 + more * n**-second),
        is_true,
        rate=lambda n: n**-power / slow(n),
    )


def of_one_order(random: Random, is_true: bool, relation: Relation = "=") -> Statement:
    """A ratio that levels off fast or slowly; a wrong one is a power of n or of log n."""
    a, b = 10 ** random.uniform(-1, 1), random.uniform(0.3, 2.0)
    scale = 10 ** random.uniform(-1, 1)
    sign = random.choice([-1, 1]) if relation == "=" else 1
    power = random.uniform(0.1, 1.0)
    kind, slow, grown = random.integers(4), random.integers(3), slowly(random)

    def value(n: float) -> float:
        if not is_true and kind == 0:
            return n ** (sign * power)
        if not is_true:
            return grown(n) ** sign if kind < 3 else math.log(n) ** (sign * (0.5 + b))
        if kind == 0:
            return 1 + a * n**-b
        if kind == 1:
            return 1 / (1 + a * n**-b)
        if kind == 2:
            return 1 + a / math.log(n)
        if relation == "=" or slow == 0:
            return 1 / (1 + a / math.log(n))
        return n**-power if slow == 1 else 1 / grown(n)

    order = random.uniform(0, 1.5)
    return Statement(
        relation, "order", lambda n: n**order, lambda n: scale * n**order * value(n), is_true
    )


def of_less(random: Random, is_true: bool) -> Statement:
    """A ratio that goes to 0; a wrong one goes to a number."""
    left, scale = falling(random), 10 ** random.uniform(-1, 1)
    first = abs(left(10.0))
    rest = 0.0 if is_true else first * 10 ** random.uniform(-2, 1)
    return Statement(
        "<",
        "order",
        lambda n: n,
        lambda n: scale * n * (rest + abs(left(n))),
        is_true,
        off=scale * rest,
    )


MADE: dict[str, Callable[[Random, bool], Statement]] = {
    "value": of_a_value,
    "rate": of_a_rate,
    "Θ": of_one_order,
    "O": partial(of_one_order, relation="<="),
    "o": of_less,
}
KINDS = tuple(MADE)


def verdict(kind: str, is_true: bool, is_exact: bool, random: Random) -> str:
    """What is said of a statement made at random; "confirmed, near" of a wrong one that is near."""
    said, at = MADE[kind](random, is_true), sizes(random)
    share = 0.0 if is_exact else 10 ** random.uniform(*np.log10(ERRORS))
    cases = [Case({}, said.theory(n), {}, "x", size=n, rate=said.rate and said.rate(n)) for n in at]
    claim = Claim(
        kind, "own", kind, "here", said.relation, CONFIRMED, lambda: cases, "as n grows", said.limit
    )
    errors = [share * abs(said.value(n)) for n in at]
    values = [
        said.value(n) + error * random.standard_normal()
        for n, error in zip(at, errors, strict=True)
    ]
    found = growth.assess(claim, values, errors, NormalDist().inv_cdf(1 - SIGNIFICANCE / 2))
    if found.p_value <= ALPHA:
        return REFUTED
    if not found.is_confirmed:
        return UNDECIDED
    is_near = not is_true and said.off > 0 and said.off <= (found.within or 0.0)
    return f"{CONFIRMED}, near" if is_near else CONFIRMED


def situation(kind: str, is_exact: bool) -> Setting:
    """True and wrong statements of a kind, and how often each gets which verdict."""

    def hits(seed: int) -> Counter[str]:
        found: Counter[str] = Counter()
        for is_true, which in ((True, "true"), (False, "wrong")):
            random = np.random.default_rng([seed, KINDS.index(kind), is_true, is_exact])
            found[f"{which}, {verdict(kind, is_true, is_exact, random)}"] += 1
        return found

    promises = {f"true, {REFUTED}": ALLOWED, f"wrong, {CONFIRMED}": ALLOWED}
    promises |= {f"true, {CONFIRMED}": NONE, f"wrong, {REFUTED}": NONE}
    return Setting(f"{kind}, {'exact' if is_exact else 'sampled'}", promises, hits)


def situations() -> list[Setting]:
    return [situation(kind, is_exact) for kind in KINDS for is_exact in (True, False)]


def main(arguments: Sequence[str] | None = None) -> int:
    return judge("bench.limits", __doc__, situations, STATEMENTS, arguments)


if __name__ == "__main__":
    sys.exit(main())
