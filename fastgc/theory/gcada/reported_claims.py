"""Claims of paper gcada on its reported numbers: .068 and .380 s, and the loads at loss 0.1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fastgc.theory import gcada
from fastgc.theory.cases.finite import finite
from fastgc.theory.gcada.cases import PAPER
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="gcada", relation="=")

_PLACE = f"{PAPER}, Section VI"
_MEAN = 1e-4

#: Seconds, downloads and uploads, gradients at a loss of 0.1.
REPORTED = {"G-CADA": (0.068, 12_292, 9_219), "CADA": (0.380, 19_292, 9_646)}
#: Groups and workers of a group: what the paper sets, and what its loads imply.
_SET, _IMPLIED, _ALONE = (3, 4), (4, 3), (12, 1)


def reported_claims() -> tuple[Claim, ...]:
    """Claims on the numbers of Section VI, which are those of one run on MNIST."""
    return (*_load_claims(), *_time_claims())


def _load_claims() -> tuple[Claim, ...]:
    return (
        _claim(
            id="gcada.reported.loads.printed",
            statement=(
                "Communication over computation is 12292/9219 = 4/3 in G-CADA with M_G = 4, for G "
                "= 3 or any other"
            ),
            citation=_PLACE,
            expected="refuted",
            cases=tuple(_ratio("G-CADA", shape) for shape in (_SET, (2, 4), (6, 4))),
        ),
        _claim(
            id="gcada.reported.loads.corrected",
            statement=(
                "Communication over computation is (M_G + 1)/M_G: 12292/9219 = 4/3 means M_G = 3 "
                "and G = 4, and CADA's 19292/9646 = 2 is right"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=(
                _ratio("G-CADA", _IMPLIED),
                _ratio("G-CADA", (3, 3)),
                _ratio("CADA", _ALONE),
            ),
        ),
        _claim(
            id="gcada.reported.whole.printed",
            statement=(
                "12292 is a whole number of selected groups with M_G + 1 messages each, 9219 one "
                "of groups with M_G gradients, if M_G = 4, or 2 (what is left over)"
            ),
            citation=_PLACE,
            expected="refuted",
            cases=(*_left_over("G-CADA", 4), *_left_over("G-CADA", 2)),
        ),
        _claim(
            id="gcada.reported.whole.corrected",
            statement=(
                "12292 and 9219 are 3073 selected groups with 4 messages and 3 gradients each; "
                "19292 and 9646 are 9646 selected workers"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=(*_left_over("G-CADA", 3), *_left_over("CADA", 1)),
        ),
    )


def _time_claims() -> tuple[Claim, ...]:
    whole = ((3072, 4, 3), (9648, 12, 1))
    return (
        _claim(
            id="gcada.reported.time.printed",
            statement=(
                "With M_G = 4, so many selections as the loads allow, 12292/5 or 9219/4, can take "
                ".068 s on average (by how much they cannot)"
            ),
            citation=_PLACE,
            expected="refuted",
            cases=tuple(_allowed("G-CADA", selections, _SET) for selections in (2459, 2458, 2305)),
        ),
        _claim(
            id="gcada.reported.time.corrected",
            statement=(
                "With M_G = 3, 3073 selections can take .068 s on average, and CADA's 9646 can "
                "take .380 s: from (S/G) (eta/M_G) H_G, all S/G times at once, to S eta/M_G, one "
                "after the other"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=(
                _allowed("G-CADA", 3073, _IMPLIED),
                _allowed("CADA", 9646, _ALONE),
                *(_schedule("least", gcada.least_time, *shape) for shape in whole),
                *(_schedule("most", gcada.most_time, *shape) for shape in whole),
            ),
        ),
    )


def _ratio(scheme: str, shape: tuple[int, int]) -> Case:
    groups, d = shape
    _, communication, computation = REPORTED[scheme]
    return finite("load_ratio", communication / computation, groups=groups, d=d, seed=1)


def _left_over(scheme: str, d: int) -> tuple[Case, ...]:
    _, communication, computation = REPORTED[scheme]
    return (
        finite("load_left_over", 0.0, load=communication, each=d + 1),
        finite("load_left_over", 0.0, load=computation, each=d),
    )


def _allowed(scheme: str, selections: int, shape: tuple[int, int]) -> Case:
    groups, d = shape
    seconds, _, _ = REPORTED[scheme]
    return finite(
        "time_not_allowed",
        0.0,
        scale=_MEAN,
        selections=selections,
        groups=groups,
        d=d,
        mean=_MEAN,
        seconds=seconds,
    )


def _schedule(
    which: str, bound: Callable[..., float], selections: int, groups: int, d: int
) -> Case:
    return finite(
        f"{which}_schedule_time",
        bound(selections, groups, d, _MEAN),
        scale=_MEAN,
        selections=selections,
        groups=groups,
        d=d,
        mean=_MEAN,
    )
