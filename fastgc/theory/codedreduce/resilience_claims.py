"""Claims of paper codedreduce, Remark 3: which stragglers a tree survives."""

from __future__ import annotations

import math
from functools import partial

from fastgc.theory import codedreduce
from fastgc.theory.cases.completion import CODEDREDUCE, completion, star, timed, tree
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, iid, uniform
from fastgc.theory.codedreduce.resilience import decodable_patterns
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="codedreduce", relation="=")

#: n, layers, s and the share s/n of all workers.
_SPREAD = ((12, 2, 5, 65), (4, 3, 1, 21), (3, 2, 1, 4))
_SMALL = ((2, 2, 1), (3, 2, 1), (2, 3, 1))


def resilience_claims() -> tuple[Claim, ...]:
    """Claims on adversarial and on random stragglers."""
    chances = ((12, 2, 5, 0.3), (12, 2, 5, 0.2), (4, 3, 1, 0.1))
    return (
        _claim(
            id="codedreduce.remark3.fewest.printed",
            statement=(
                "CR fails with as many stragglers as GC at worst, alpha N + 1 (the fewest that "
                "break it)"
            ),
            citation=f"{CODEDREDUCE}, Remark 3",
            expected="refuted",
            cases=tuple(
                _fewest(codedreduce.breaking_stragglers_printed(*shape), *shape) for shape in _SMALL
            ),
        ),
        _claim(
            id="codedreduce.remark3.fewest.corrected",
            statement="s + 1 stragglers, children of the master, break CR, and no fewer",
            citation=f"{CODEDREDUCE}, Remark 3, corrected",
            expected="confirmed",
            cases=tuple(
                _fewest(codedreduce.breaking_stragglers(*shape), *shape) for shape in _SMALL
            ),
        ),
        _claim(
            id="codedreduce.remark3.random.printed",
            statement="CR survives alpha N stragglers that are spread over the tree at random",
            citation=f"{CODEDREDUCE}, Remark 3",
            expected="refuted",
            cases=tuple(
                _decodable(tree(n, layers, s), uniform(stragglers), 1.0)
                for n, layers, s, stragglers in _SPREAD
            ),
        ),
        _claim(
            id="codedreduce.remark3.random.corrected",
            statement=(
                "A straggler's subtree is lost too: of alpha N random stragglers CR on the (12,2)-"
                "regular tree, s = 5, survives 4.083 %; of iid stragglers with p = 5/12 9.94 %, "
                "with .3 71.0 %, with .2 97.2 %"
            ),
            citation=f"{CODEDREDUCE}, Remark 3, corrected",
            expected="confirmed",
            cases=(
                *(_share(n, layers, s, stragglers=count) for n, layers, s, count in _SPREAD),
                _share(12, 2, 5, p=5 / 12),
                _decodable(
                    tree(3, 2, 1),
                    uniform(4),
                    codedreduce.decodable_probability(3, 2, 1, stragglers=4),
                ),
                *(
                    _decodable(
                        tree(n, layers, s),
                        iid(p),
                        codedreduce.decodable_probability(n, layers, s, p=p),
                    )
                    for n, layers, s, p in chances
                ),
            ),
        ),
        _claim(
            id="codedreduce.remark3.star.derived",
            statement="Gradient coding survives iid stragglers as often as at most S straggle",
            citation=f"{CODEDREDUCE}, Remark 3, extended",
            expected="confirmed",
            cases=(
                finite(
                    "decodable_share",
                    codedreduce.star_decodable_probability(156, 65, 5 / 12),
                    n=156,
                    layers=1,
                    s=65,
                    p=5 / 12,
                ),
                *(
                    _decodable(star(n, s), iid(p), codedreduce.star_decodable_probability(n, s, p))
                    for n, s, p in ((156, 65, 0.35), (12, 5, 0.3), (84, 21, 0.2))
                ),
            ),
        ),
        _claim(
            id="codedreduce.remark3.sets.derived",
            statement=(
                "The sets of stragglers that a tree survives are counted by the polynomials "
                "sum_(i <= s) C(n,i) A^(n-i) (T - A)^i, A for a child that answers, T for all sets"
            ),
            citation=f"{CODEDREDUCE}, Remark 3, extended",
            expected="confirmed",
            cases=tuple(
                finite(
                    "decodable_sets",
                    decodable_patterns(n, layers, s)[stragglers],
                    scale=float(math.comb(int(codedreduce.tree_size(n, layers)), stragglers)),
                    n=n,
                    layers=layers,
                    s=s,
                    stragglers=stragglers,
                )
                for n, layers, s, stragglers in ((3, 2, 1, 4), (2, 3, 1, 4), (3, 2, 2, 6))
            ),
        ),
    )


def _fewest(theory: float, n: int, layers: int, s: int) -> Case:
    return finite("breaking_stragglers", theory, n=n, layers=layers, s=s)


def _share(n: int, layers: int, s: int, **given: float) -> Case:
    theory = codedreduce.decodable_probability(n, layers, s, **given)
    return finite("decodable_share", theory, n=n, layers=layers, s=s, **given)


def _decodable(system: Table, stragglers: Table, theory: float) -> Case:
    return timed(completion(system, measure="decodable", stragglers=stragglers), theory)
