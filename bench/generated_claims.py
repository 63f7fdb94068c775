"""How often verdicts err: ``python -m bench.generated_claims [--count N] [--kinds KIND]``.

So many claims of each kind of statement, exact and sampled, are made at random: about half of them
true, the others wrong by a factor from 1.0001 to 1000; of numbers from 1e-18 to 1e6. The truth is
that of formulas written here, in 60 digits. All claims of a kind go through `fastgc.validate` in
one call, so that its 1 % holds for all of them together. A sampled claim that is off by less than
its own tolerance is "near": neither true nor wrong. The command prints each wrong judgment as a
table of a study, and exits with 1 if a wrong claim is confirmed, or a true one refuted. Claims that
were aimed at corners by hand are a file: ``fastgc validate bench/corner_claims.toml``; statements
as n grows are those of `bench.limits`.
"""

import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import numpy as np

import fastgc
from bench import command
from fastgc.errors import FastgcError
from fastgc.registry import toml
from fastgc.results.verdict_data import REFUTED, Verdict
from fastgc.theory.papers.claim import CONFIRMED, LOOSE

METHODS = ("exact", "sampled")
TRUE, WRONG, NEAR, REFUSED = "true", "wrong", "near", "refused"
MISJUDGED = ((TRUE, REFUTED), (WRONG, CONFIRMED))
TRIALS = 262_144
#: What sampled claims are confirmed to: the first where they do not say it.
TOLERANCES = (0.002, 0.01, 0.05, 0.2)
#: Claims about one experiment; powers of ten of the smallest numbers.
ALIKE, SMALLEST, SMALLEST_SAMPLED = 3, -18.0, -5.0
#: A float does not tell numbers apart that differ by fewer units in the last place.
UNITS = 16
#: The worst of all sets of stragglers is looked for among so many workers at most.
LARGE = 20

EXACTLY = mpmath.mp.clone()
EXACTLY.dps = 60
real = EXACTLY.mpf
Real = Any
Random = np.random.Generator
Table = dict[str, Any]
Law = list[tuple[Real, Real]]


@dataclass(frozen=True)
class Number:
    """A number that is known, and where it is measured."""

    experiment: Table
    quantity: str
    statistic: str
    truth: Real
    is_probability: bool = False


@dataclass(frozen=True)
class Made:
    """A claim as the table of a study, whether it is true, by what share it is off and may be."""

    table: Table
    is_true: bool
    off: float = math.inf
    tolerance: float = 0.0


def binomial(n: int, q: Real) -> Law:
    """The law of how many of n happen, each with probability q."""
    return [(j, math.comb(n, j) * q**j * (1 - q) ** (n - j)) for j in range(n + 1)]


def power_of_ten(random: Random, low: float, high: float) -> float:
    """Return a number whose logarithm lies anywhere between."""
    return float(10 ** random.uniform(min(low, high), high))


def of_a_law(experiment: Table, law: Law, k: int, random: Random) -> dict[str, list[Number]]:
    """What is known of an error by its law, for which kind of statement."""

    def error(statistic: str, truth: Real, is_probability: bool = False) -> Number:
        return Number(experiment, "error", statistic, truth, is_probability)

    mean = sum(value * weight for value, weight in law)
    values = sorted(value for value, weight in law if weight > 0)
    # between two values, and at one, which it does not exceed, where a float holds it
    at = [float((a + b) / 2) for a, b in itertools.pairwise(values)]
    at += [float(value) for value in values if value == int(value)]
    tails = [
        error(f"P(>{t!r})", sum(weight for value, weight in law if value > t), True)
        for t in random.permutation(at)[:4].tolist()
    ]
    below = [sum(weight for other, weight in law if other <= value) for value in values]
    for level in (0.05, 0.5, 0.9, 0.99):
        if all(abs(share - level) > 1e-3 for share in below):  # else rounding decides
            reached = next(v for v, share in zip(values, below, strict=True) if share >= level)
            tails.append(error(f"quantile({level})", reached))
    none = sum(weight for value, weight in law if value == 0)
    means = [error("mean", mean), Number(experiment, "exact", "mean", none, True)]
    if experiment["code"]["family"] in ("frc", "uncoded"):  # what is not lost counts in full
        means.append(Number(experiment, "lost", "mean", mean / k))
    variance = sum((value - mean) ** 2 * weight for value, weight in law)
    return {"mean": means, "tail": tails, "variance": [error("variance", variance)]}


def decoding(random: Random, smallest: float) -> dict[str, list[Number]]:
    """A code whose error has a law that is known."""
    d, groups = int(random.integers(1, 6)), int(random.integers(1, 7))
    small, n = power_of_ten(random, smallest, -0.3), d * groups
    p, kind = small ** (1 / d), int(random.integers(4))
    code: Table = {"family": "frc", "n": n, "d": d}
    stragglers: Table = {"model": "iid", "p": p}
    k, law = n, [(d * u, weight) for u, weight in binomial(groups, real(p) ** d)]
    if kind == 1:
        slow, late = random.uniform(0.01, 0.5), random.uniform(0.1, 1)
        q = real(slow) * real(late) + (1 - real(slow)) * real(p)
        two = {"p_slow": slow, "p_straggle_slow": late, "p_straggle_active": p}
        stragglers = {"model": "two-class", **two}
        law = [(d * u, weight) for u, weight in binomial(groups, q**d)]
    elif kind == 2:  # all sets of so many survivors have the same error
        name, n, k, blocks = [("fano", 7, 7, 3), ("ag(2,3)", 9, 12, 4)][int(random.integers(2))]
        code, stragglers = {"family": "bibd", "name": name}, {"model": "iid", "p": small}
        errors = [k, *(k - real(blocks * blocks * r) / (blocks + r - 1) for r in range(1, n + 1))]
        law = [(errors[r], weight) for r, weight in binomial(n, 1 - real(small))]
    elif kind == 3:
        k = n = int(power_of_ten(random, 0, 2))
        code, stragglers = {"family": "uncoded", "n": n}, {"model": "iid", "p": small}
        law = binomial(n, real(small))
    return of_a_law(dict(code=code, stragglers=stragglers), law, k, random)


def _completion(n: int, k: int, distribution: str, **latency: Any) -> Table:
    system = {"family": "k-of-n", "n": n, "k": k, "load": 1.0}
    law = {"distribution": distribution, **latency}
    return {"kind": "completion", "system": system, "latency": law}


def completion(random: Random, smallest: float) -> dict[str, list[Number]]:
    """The k-th of n times, by laws whose order statistics are known."""
    n, unit = int(random.integers(1, 16)), power_of_ten(random, -9, 6)
    k, one, kind = int(random.integers(1, n + 1)), real(unit), int(random.integers(3))
    # so far out in one time's tail
    above = real(power_of_ten(random, smallest, -0.1)) ** (real(1) / (n - k + 1))
    if kind == 0:
        shift = float(random.choice([0.0, unit, 10 * unit]))
        experiment = _completion(n, k, "exponential", mean=unit, shift=shift)
        waits = [one / i for i in range(n - k + 1, n + 1)]
        mean, variance = real(shift) + sum(waits), sum(wait**2 for wait in waits)
        t = float(real(shift) - one * EXACTLY.log(above))
        above = EXACTLY.exp((real(shift) - real(t)) / one)
    elif kind == 1:  # rare and huge outcomes, which a sample may miss
        n = k = 1
        p, slow = power_of_ten(random, -8, -3), unit * power_of_ten(random, 2, 6)
        usual = {"distribution": "uniform", "low": unit, "high": 3 * unit}
        rare = {"distribution": "deterministic", "value": slow}
        experiment = _completion(1, 1, "bimodal", p_slow=p, fast=usual, slow=rare)
        fast, width, above, t = (one + real(3 * unit)) / 2, real(3 * unit) - one, real(p), 5 * unit
        mean = fast + above * (real(slow) - fast)
        variance = (1 - above) * (width**2 / 12 + above * (real(slow) - fast) ** 2)
    else:
        k, shape = 1, float(random.choice([0.5, 1.5, 2.0, 3.0]))
        experiment = _completion(n, k, "weibull", shape=shape, scale=unit)
        scale = one * real(n) ** (-1 / real(shape))
        mean = scale * EXACTLY.gamma(1 + 1 / real(shape))
        variance = scale**2 * EXACTLY.gamma(1 + 2 / real(shape)) - mean**2
        t = float(one * (-EXACTLY.log(above)) ** (1 / real(shape)))
        above = EXACTLY.exp(-((real(t) / one) ** real(shape)))
    tail = sum(weight for j, weight in binomial(n, 1 - above) if j < k)
    found = Number(experiment, "time", "mean", mean)
    spread = replace(found, statistic="variance", truth=variance)
    late = Number(experiment, "time", f"P(>{t!r})", tail, is_probability=True)
    return {"mean": [found], "variance": [spread], "tail": [late]}


def off(number: Number, theory: float) -> float:
    """By what share of the larger a float differs from a number; of a rarer outcome's."""
    both = [real(theory), number.truth]
    sizes = [min(x, 1 - x) for x in both] if number.is_probability else both
    return float(abs(both[0] - both[1]) / max(sizes))


def statement(number: Number, relation: str, is_sampled: bool, random: Random) -> Made | None:
    """Say what is true of a number, or wrong by a factor; None where a float does not say it."""
    is_true, is_strict = bool(random.integers(2)), relation in ("<", ">")
    factor = real(min(1000.0, 1.0 + power_of_ten(random, -4, 3)))
    is_larger = bool(random.integers(2)) if relation == "=" else (relation[0] == "<") == is_true
    known, theory = number.truth, float(number.truth)
    # the number itself is within its bounds, and not within strict ones
    itself = is_true if relation == "=" else is_true != is_strict and random.random() < 0.25
    if not itself:
        by = factor if is_larger else 1 / factor
        is_likely = number.is_probability and 2 * known > 1
        theory = float(1 - (1 - known) / by if is_likely else known * by)
        if abs(real(theory) - known) <= UNITS * math.ulp(theory):
            return None
    if not 0 < theory < (1 if number.is_probability else math.inf):
        return None
    tolerance = float(random.choice(TOLERANCES)) if is_sampled else 0.0
    text = f"Made at random, {'true' if is_true else f'wrong by {float(factor):.6g}'}"
    table = {"statement": text, "relation": relation, "theory": theory} | vars(number)
    del table["truth"], table["is_probability"]
    if tolerance > TOLERANCES[0]:
        table["tolerance"] = tolerance
    return Made(table, is_true, off(number, theory), 0.0 if is_strict else tolerance)


Maker = Callable[[Random, bool], Iterator[Made]]


def of_numbers(kind: str, *relations: str) -> Maker:
    """Claims about some of the numbers that are known of an experiment made at random."""

    def made(random: Random, is_sampled: bool) -> Iterator[Made]:
        source = decoding if random.random() < 0.7 else completion
        known = source(random, SMALLEST_SAMPLED if is_sampled else SMALLEST)
        numbers = [each for each in known.get(kind, []) if each.truth > real(10) ** -19]
        for _ in range(ALIKE if numbers else 0):
            number = numbers[int(random.integers(len(numbers)))]
            found = statement(number, str(random.choice(relations)), is_sampled, random)
            if found is not None:
                yield found

    return made


def certainties(random: Random, is_sampled: bool) -> Iterator[Made]:
    """What always or never happens, in an author's words; or only nearly."""
    is_true, kind = bool(random.integers(2)), int(random.integers(8))
    d, groups = int(random.integers(2, 9)), int(random.integers(2, 6))
    n, smallest = d * groups, SMALLEST_SAMPLED if is_sampled else SMALLEST
    codes: list[Table] = [
        {"family": "frc", "n": n, "d": d},
        {"family": "binary", "n": n + int(random.integers(d)), "s": d - 1},
        {"family": "cyclic-mds", "n": n + (n - d) % 2, "d": d},
        {"family": "cyclic", "n": n, "d": d},
    ]
    words: list[Table] = [
        {"quantity": "error", "theory": 0, "relation": str(random.choice(["=", "<="]))},
        {"quantity": "exact", "theory": 1, "relation": str(random.choice(["=", ">="]))},
        {"quantity": "lost", "theory": 0},
        {"quantity": "error", "theory": 0, "statistic": "P(>1e-06)"},
    ]
    said = words[int(random.integers(len(words)))]
    if kind < 4:  # d stragglers may be all that hold something
        s = d - 1 if is_true else int(random.integers(d, min(d + 2, n)))
        model = str(random.choice(["uniform", "adversarial"]))
        model = model if n <= LARGE else "uniform"
        experiment = dict(code=codes[kind], stragglers={"model": model, "stragglers": s})
        if model == "adversarial":
            said = words[-1] | {"statistic": "maximum"}
    elif kind == 4:  # independent stragglers may all come at once
        p = 0.0 if is_true else power_of_ten(random, smallest / d, -0.5)
        experiment = dict(code=codes[0], stragglers={"model": "iid", "p": p})
    elif kind == 5:  # no more than all is lost, and all may be
        p = power_of_ten(random, smallest / n, -0.5)
        experiment = dict(code=codes[0], stragglers={"model": "iid", "p": p})
        said = words[-1] | {"statistic": f"P(>{float(n if is_true else n - d)!r})"}
    elif kind == 6:
        unit, is_late = power_of_ten(random, -9, 6), bool(random.integers(2))
        experiment = _completion(n, d, "uniform", low=unit, high=3 * unit)
        u = -0.1 if is_true else power_of_ten(random, smallest / (n - d + 1 if is_late else d), -1)
        t = unit * (3 - 2 * u if is_late else 1 + 2 * u)
        said = {"quantity": "time", "theory": int(not is_late), "statistic": f"P(>{t!r})"}
    else:
        experiment = _completion(n, n - d + 1, "exponential", mean=1.0)
        iid = {"model": "iid", "p": power_of_ten(random, smallest / d, -0.5)}
        few = {"model": "uniform", "stragglers": int(random.integers(d))}
        experiment["stragglers"] = few if is_true else iid
        said = {"quantity": "decodable", "theory": 1}
    text = "Made at random, true" if is_true else "Made at random, wrong: it is only likely"
    yield Made({"statement": text, **said, "experiment": experiment}, is_true)


MAKERS: dict[str, Maker] = {
    "equal": of_numbers("mean", "="),
    "bound": of_numbers("mean", "<=", ">="),
    "strict": of_numbers("mean", "<", ">"),
    "certainty": certainties,
    "tail": of_numbers("tail", "=", "=", "<=", ">=", "<", ">"),
    "variance": of_numbers("variance", "=", "=", "<=", ">=", "<", ">"),
}
KINDS = tuple(MAKERS)


def generated(kind: str, method: str, count: int, seed: int) -> list[Made]:
    """Make so many claims of a kind."""
    random = np.random.default_rng([seed, KINDS.index(kind), METHODS.index(method)])
    endless = (made for _ in itertools.count() for made in MAKERS[kind](random, method != "exact"))
    return [
        replace(made, table={"id": f"generated.{kind}.{method}{number}", **made.table})
        for number, made in enumerate(itertools.islice(endless, count))
    ]


def validated(claims: Sequence[Made], method: str, trials: int = TRIALS) -> list[Verdict | str]:
    """What `fastgc.validate` says of claims, all in one call; or why it refuses one."""
    way = "exact" if method == "exact" else "monte-carlo"
    data = {"claim": [made.table for made in claims]}
    try:
        return [*fastgc.validate(data, method=way, trials=trials)]
    except FastgcError as problem:
        if len(claims) == 1:
            return [str(problem)]
    half = len(claims) // 2
    return [*validated(claims[:half], method, trials), *validated(claims[half:], method, trials)]


def judged(made: Made, verdict: Verdict | str) -> tuple[str, str]:
    """Which row and column of the table a claim belongs to."""
    row = TRUE if made.is_true else WRONG
    if isinstance(verdict, str):
        return row, REFUSED
    said = CONFIRMED if verdict.verdict == LOOSE else verdict.verdict
    is_near = row == WRONG and said == CONFIRMED and made.off <= made.tolerance
    return (NEAR if is_near else row), said


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and each wrong judgment; exit with 1 if there is any."""
    own: Table = {"count": 200, "trials": TRIALS, "kinds": KINDS}
    options = command.parse("bench.generated_claims", __doc__, arguments, "--json", "--seed", **own)
    rows: list[Table] = []
    tally: Counter[tuple[str, ...]] = Counter()
    for kind, method in itertools.product(options.kinds or KINDS, METHODS):
        claims = generated(kind, method, options.count, options.seed)
        verdicts = validated(claims, method, options.trials)
        for made, verdict in zip(claims, verdicts, strict=True):
            row, said = judged(made, verdict)
            tally[kind, method, row, said] += 1
            rows.append({"is": row, "said": said, "text": str(verdict), "claim": made.table})
            if (row, said) in MISJUDGED or said == REFUSED:
                print(
                    f"# {row}, and {said}: {verdict}\n{toml.dumps({'claim': [made.table]})}\n",
                    flush=True,
                )
    for key, each in itertools.groupby(sorted(tally), lambda key: key[:3]):
        counts = ", ".join(f"{key[3]} {tally[key]}" for key in each)
        print(f"{key[0]:10}{key[1]:9}{key[2]:7}{counts}")
    command.write(options.json, rows)
    return int(any(key[2:] in MISJUDGED for key in tally))


if __name__ == "__main__":
    sys.exit(main())
