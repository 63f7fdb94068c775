"""Claims of paper codedreduce on completion times: Theorem 2, Remark 4 and its proof (Appendix D).

Times are in units of r d/μ, with a shift of one such unit where there is one.
"""

from __future__ import annotations

import math
from functools import partial

from fastgc.theory import codedreduce
from fastgc.theory.cases.completion import (
    CODEDREDUCE,
    completion,
    exponential,
    late,
    star,
    timed,
    tree,
    whole,
)
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.codedreduce.simulation import HELD, RECEIVE, SECONDS
from fastgc.theory.codedreduce.simulation_claims import experiment
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="codedreduce", relation="=")

_THEOREM = f"{CODEDREDUCE}, Theorem 2"
_PROOF = f"{CODEDREDUCE}, Appendix D"

#: n, s with s = 5n/12.
_SWEEP = ((12, 5), (24, 10), (48, 20), (96, 40))
#: n, layers, s, receive: where the first messages come soon after each other.
_PORTS = ((12, 2, 5, 0.1), (6, 2, 2, 0.25), (4, 3, 1, 0.2))
_GROUPS = ((12, 13, 5), (12, 13, 3), (6, 7, 2))


def bound_claims() -> tuple[Claim, ...]:
    """Claims on mean times and their bounds."""
    return (
        *_exact_claims(),
        *_theorem_claims(),
        *_path_claims(),
        *_lemma_claims(),
        *_logarithm_claims(),
        *_conditional_claims(),
    )


def _exact_claims() -> tuple[Claim, ...]:
    trees = ((2, 2, 1), (3, 2, 1), (12, 2, 5), (4, 3, 1))
    stars = ((12, 7, 0.1), (12, 12, 0.05), (5, 3, 0.5))
    tails = ((2, 2, 1, 0.5), (3, 2, 1, 1.5), (12, 2, 5, 1.1))
    return (
        _claim(
            id="codedreduce.group.mean.printed",
            statement="E T_(n-s) = a r d + (r d/mu) (H_n - H_s) for n siblings",
            citation=f"{_PROOF}, inequality (a)",
            expected="confirmed",
            cases=tuple(
                _at(star(n, s), codedreduce.group_mean(n, s, 1.0, 1.0))
                for n, s in ((12, 5), (24, 3), (156, 65))
            ),
        ),
        _claim(
            id="codedreduce.tree.mean.derived",
            statement=(
                "Without a port E T_CR is rational for unit exponential times: 41/60 for (n,L,s) = "
                "(2,2,1), 8357/6930 for (3,2,1), 1.11755114 for (12,2,5)"
            ),
            citation=f"{CODEDREDUCE}, Section III-C, t_c = 0",
            expected="confirmed",
            cases=tuple(
                timed(completion(whole(tree(*shape))), codedreduce.tree_mean(*shape))
                for shape in trees
            ),
        ),
        _claim(
            id="codedreduce.tree.distribution.derived",
            statement=(
                "Without a port a node is late if it is itself, or if more than s of its children "
                "are: P(T > t) by L nested binomial tails"
            ),
            citation=f"{CODEDREDUCE}, Section III-C, t_c = 0",
            expected="confirmed",
            cases=tuple(
                late(whole(tree(n, layers, s)), t, _tree_late(n, layers, s, t))
                for n, layers, s, t in tails
            ),
        ),
        _claim(
            id="codedreduce.port.mean.derived",
            statement=(
                "With a port the i-th of k answers must arrive (k-i+1) t_c before the end, so that "
                "P(C_k <= t) is a staircase probability"
            ),
            citation=f"{CODEDREDUCE}, Section III-C, communication time model",
            expected="confirmed",
            cases=(
                *(
                    _at(star(n, n - need), codedreduce.star_mean_with_port(n, need, t, 1, 1), t)
                    for n, need, t in stars
                ),
                *(
                    _at(tree(n, layers, s), _with_port(n, layers, s, t), t)
                    for n, layers, s, t in _PORTS[:2]
                ),
            ),
        ),
    )


def _theorem_claims() -> tuple[Claim, ...]:
    stars = ((12, 5, 0.5), (24, 10, 0.2), (84, 21, 0.1))
    tight = ((12, 2, 5, 0.01), (6, 2, 2, 0.02), (4, 3, 1, 0.02))
    wide = ((12, 2, 5, 0.5), (24, 2, 10, 0.5), (4, 3, 1, 0.5))
    leading = ((12, 0.2), (24, 0.2), (48, 0.2))
    return (
        _claim(
            id="codedreduce.theorem2.lower.printed",
            statement="E T_CR >= (r d/mu) log(1/alpha) + a r d + (n(1-alpha) + L - 1) t_c",
            citation=f"{_THEOREM} (7), without its o(.)",
            relation=">=",
            expected="refuted",
            cases=(
                _simulated("GC", codedreduce.lower_bound_printed(156, 1, 65, **_held("GC"))),
                _simulated("CR", codedreduce.lower_bound_printed(12, 2, 5, **_held("CR"))),
                *(
                    _at(star(n, s), codedreduce.lower_bound_printed(n, 1, s, t, 1.0, 1.0), t)
                    for n, s, t in stars
                ),
            ),
        ),
        _claim(
            id="codedreduce.theorem2.lower.corrected",
            statement="E T_CR >= a r d + L (n-s) t_c",
            citation=f"{_THEOREM} (7), corrected",
            relation=">=",
            expected="confirmed",
            cases=(
                _simulated(
                    "GC", codedreduce.lower_bound(156, 1, 65, RECEIVE, _held("GC")["shift"])
                ),
                _simulated("CR", codedreduce.lower_bound(12, 2, 5, RECEIVE, _held("CR")["shift"])),
                *(
                    _at(star(n, s), codedreduce.lower_bound(n, 1, s, t, 1.0), t)
                    for n, s, t in stars
                ),
            ),
        ),
        _claim(
            id="codedreduce.theorem2.upper.printed",
            statement="At t_c = 0, E T_CR <= (r d/mu) log(1/alpha) + a r d",
            citation=f"{_THEOREM} (8), without its o(1)",
            relation="<=",
            expected="refuted",
            cases=tuple(
                _at(tree(n, 2, s), codedreduce.upper_bound_printed(n, 2, s, 0.0, 1.0, 1.0))
                for n, s in _SWEEP[:3]
            ),
        ),
        _claim(
            id="codedreduce.theorem2.upper.corrected",
            statement="E T_CR <= E T_CR(t_c = 0) + L (n-s) t_c",
            citation=f"{_THEOREM} (8), corrected",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                _at(tree(n, layers, s), codedreduce.upper_bound(n, layers, s, t, 1.0, 1.0), t)
                for n, layers, s, t in (*tight, *_PORTS[:1])
            ),
        ),
        _claim(
            id="codedreduce.theorem2.leading-order.corrected",
            statement=(
                "At t_c = 0 and L = 2, E T_CR exceeds (r d/mu) log(1/alpha) + a r d by less than "
                "(r d/mu) n^(-1/4), the proof's epsilon, for n = 12, 24, 48, 96 and alpha = 5/12"
            ),
            citation=f"{_THEOREM} (8), leading order",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                _at(tree(n, 2, s), codedreduce.upper_bound_without_port(n, s, 1.0, 1.0))
                for n, s in _SWEEP
            ),
        ),
        _claim(
            id="codedreduce.theorem2.leading-order-port.corrected",
            statement=(
                "At fixed t_c > 0, E T_CR = a r d + L (n-s) t_c + o(1): with L = 2 and t_c = .2 r "
                "d/mu at most 2 (r d/mu)/n^2 more, for n = 12, 24, 48 and alpha = 5/12"
            ),
            citation=f"{_THEOREM}, leading order",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                _at(
                    tree(n, 2, 5 * n // 12),
                    codedreduce.lower_bound(n, 2, 5 * n // 12, t, 1.0) + 2 / n**2,
                    t,
                )
                for n, t in leading
            ),
        ),
        _claim(
            id="codedreduce.remark4.tree.printed",
            statement="E T_CR = Theta(1) + Theta(n): at most E T_CR(t_c = 0) + n L t_c",
            citation=f"{CODEDREDUCE}, Remark 4",
            relation="<=",
            expected="confirmed, loose",
            cases=tuple(
                _at(
                    tree(n, layers, s),
                    codedreduce.tree_mean(n, layers, s, 1.0, 1.0) + n * layers * t,
                    t,
                )
                for n, layers, s, t in wide
            ),
        ),
        _claim(
            id="codedreduce.remark4.star.printed",
            statement="E T_GC = Theta(1) + Theta(N): at least a r d + (N-S) t_c",
            citation=f"{CODEDREDUCE}, Remark 4",
            relation=">=",
            expected="confirmed",
            cases=tuple(
                _at(star(n, s), codedreduce.lower_bound(n, 1, s, 0.5, 1.0), 0.5)
                for n, s in ((12, 5), (84, 21), (156, 65))
            ),
        ),
    )


def _path_claims() -> tuple[Claim, ...]:
    return tuple(
        _claim(
            id=f"codedreduce.theorem2.paths-{side}.corrected",
            statement=f"On every path {bound} (violations on 2000 random paths)",
            citation=f"{_THEOREM}, corrected",
            expected="confirmed",
            cases=tuple(
                finite(
                    f"{side}_bound_violations",
                    0,
                    scale=2000,
                    n=n,
                    layers=layers,
                    s=s,
                    receive=receive,
                    shift=1.0,
                    paths=2000,
                    seed=1,
                )
                for n, layers, s, receive in _PORTS
            ),
        )
        for side, bound in (
            ("lower", "T_CR >= a r d + L (n-s) t_c"),
            ("upper", "T_CR <= T_CR(t_c = 0) + L (n-s) t_c"),
        )
    )


def _lemma_claims() -> tuple[Claim, ...]:
    queues = ((12, 5, 0.5), (24, 10, 0.2), (60, 25, 0.1))
    large = ((100, 41), (200, 83), (400, 167))
    gaps = ((12, 5, 0.5), (12, 5, 1.0), (24, 10, 0.5))
    return (
        _claim(
            id="codedreduce.lemma1.printed",
            statement="E[T^ - T_(n-s)] >= n(1-alpha) t_c for n siblings and their parent's port",
            citation=f"{CODEDREDUCE}, Lemma 1 (16), without its o(n)",
            relation=">=",
            expected="refuted",
            cases=tuple(_delay((n - s) * t, n, s, t) for n, s, t in queues),
        ),
        _claim(
            id="codedreduce.lemma1.corrected",
            statement=(
                "E[T^ - T_(n-s)] >= n(1-alpha) t_c - (r d/mu) (H_(n-1) - H_s): the port starts "
                "with the first message"
            ),
            citation=f"{CODEDREDUCE}, Lemma 1 (16), with an o(n)",
            relation=">=",
            expected="confirmed",
            cases=tuple(
                _delay(codedreduce.port_delay_bound(n, s, t), n, s, t) for n, s, t in queues
            ),
        ),
        _claim(
            id="codedreduce.lemma2.printed",
            statement=(
                "P(T_(n-s) - E T_(n-s) >= epsilon) <= exp(-epsilon^2/(2 (sum E[E_i^2] + epsilon "
                "B))) for epsilon = n^(-1/4), B = 1/s"
            ),
            citation=f"{CODEDREDUCE}, Lemma 2 (17) and its proof",
            relation="<=",
            expected="confirmed, loose",
            cases=tuple(_exceeds(n, s, n**-0.25) for n, s in large),
        ),
        _claim(
            id="codedreduce.lemma2.rate.printed",
            statement="With rate lambda, T_(n-s) has mean lambda (H_n - H_s)",
            citation=f"{CODEDREDUCE}, Lemma 2, E_i of rate lambda and E[E_i^k] = (...)^k k!",
            expected="refuted",
            cases=tuple(_rate(rate, rate) for rate in (2.0, 4.0, 0.5)),
        ),
        _claim(
            id="codedreduce.lemma2.rate.corrected",
            statement="With rate lambda it is (H_n - H_s)/lambda: the proof's lambda is the mean",
            citation=f"{CODEDREDUCE}, Lemma 2, corrected",
            expected="confirmed",
            cases=tuple(_rate(rate, 1 / rate) for rate in (2.0, 4.0, 0.5)),
        ),
        _claim(
            id="codedreduce.lemma3.printed",
            statement="Bernstein's inequality holds for the sum of gaps that T_(n-s) is",
            citation=f"{CODEDREDUCE}, Lemma 3",
            relation="<=",
            expected="confirmed, loose",
            cases=tuple(_exceeds(n, s, epsilon) for n, s, epsilon in gaps),
        ),
    )


def _logarithm_claims() -> tuple[Claim, ...]:
    numbers = (1, 10, 100)
    groups = ((12, 5), (24, 10), (156, 65))
    single = (
        ("lower.printed", "log i < H_i", ">", "confirmed"),
        ("upper.printed", "H_i < log(i+1)", "<", "refuted"),
        ("lower.corrected", "log(i+1) < H_i", ">", "confirmed"),
        ("upper.corrected", "H_i <= 1 + log i", "<=", "confirmed"),
    )
    return (
        *(
            _claim(
                id=f"codedreduce.logarithm.{name}",
                statement=statement,
                citation=f"{_PROOF}, inequality (a)",
                relation=relation,
                expected=expected,
                cases=tuple(finite("harmonic_sum", _logarithm(name, i), i=i) for i in numbers),
            )
            for name, statement, relation, expected in single
        ),
        _claim(
            id="codedreduce.group.logarithm.printed",
            statement="H_n - H_s >= log(1/alpha)",
            citation=f"{_PROOF}, inequality (a)",
            relation=">=",
            expected="refuted",
            cases=tuple(_difference(n, s, "upper") for n, s in groups),
        ),
        _claim(
            id="codedreduce.group.logarithm-upper.corrected",
            statement="H_n - H_s < log(n/s)",
            citation=f"{_PROOF}, corrected",
            relation="<",
            expected="confirmed",
            cases=tuple(_difference(n, s, "upper") for n, s in groups),
        ),
        _claim(
            id="codedreduce.group.logarithm-lower.corrected",
            statement="log((n+1)/(s+1)) < H_n - H_s",
            citation=f"{_PROOF}, corrected",
            relation=">",
            expected="confirmed",
            cases=tuple(_difference(n, s, "lower") for n, s in groups),
        ),
    )


def _conditional_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="codedreduce.conditional-mean.printed",
            statement="E[T~ | T~ > E T_(n-s) + epsilon] <= E[T~] for the slowest group's time T~",
            citation=f"{_PROOF}, (20) and (21)",
            relation="<=",
            expected="refuted",
            cases=tuple(
                _late("late_group_mean", codedreduce.slowest_group_mean(n, groups, s), n, groups, s)
                for n, groups, s in _GROUPS
            ),
        ),
        _claim(
            id="codedreduce.conditional-mean.corrected",
            statement="E[T~; T~ > c] <= (E[T~^2] P(T~ > c))^(1/2), c = E T_(n-s) + epsilon",
            citation=f"{_PROOF}, (20) and (21), corrected by the Cauchy-Schwarz inequality",
            relation="<=",
            expected="confirmed",
            cases=tuple(
                _late(
                    "late_group_share",
                    codedreduce.late_groups_bound(n, groups, s, n**-0.25),
                    n,
                    groups,
                    s,
                )
                for n, groups, s in _GROUPS
            ),
        ),
    )


def _at(system: Table, theory: float, receive: float = 0.0) -> Case:
    """Mean time with unit mean and shift, and a port."""
    return timed(completion(whole(system), exponential(1.0, 1.0), receive=receive), theory)


def _with_port(n: int, layers: int, s: int, receive: float) -> float:
    return float(codedreduce.tree_mean_with_port(n, layers, s, receive, 1.0, 1.0))


def _simulated(name: str, theory: float) -> Case:
    return timed(experiment(name), theory)


def _held(name: str) -> dict[str, float]:
    seconds = HELD[name] * SECONDS
    return {"receive": RECEIVE, "mean": seconds, "shift": seconds}


def _tree_late(n: int, layers: int, s: int, t: float) -> float:
    return float(codedreduce.tree_tail(n, layers, s, math.exp(-t)))


def _delay(theory: float, n: int, s: int, receive: float) -> Case:
    system = whole(star(n, s))
    return timed(completion(system, receive=receive), theory, against=completion(system))


def _exceeds(n: int, s: int, epsilon: float) -> Case:
    threshold = float(codedreduce.group_mean(n, s)) + epsilon
    return late(whole(star(n, s)), threshold, codedreduce.group_tail_bound(n, s, epsilon))


def _rate(rate: float, mean: float) -> Case:
    theory = codedreduce.group_mean(12, 5, mean)
    return timed(completion(whole(star(12, 5)), exponential(1 / rate)), theory)


def _logarithm(name: str, i: int) -> float:
    side, version = name.split(".")
    bound = codedreduce.logarithm_bound
    if version == "printed":
        bound = codedreduce.logarithm_bound_printed
    return float(bound(i, side))


def _difference(n: int, s: int, side: str) -> Case:
    bound = codedreduce.group_logarithm_bound(n, s, side)
    return finite("harmonic_difference", bound, n=n, s=s)


def _late(name: str, theory: float, n: int, groups: int, s: int) -> Case:
    return finite(name, theory, n=n, groups=groups, s=s, epsilon=n**-0.25)
