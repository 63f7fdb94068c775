"""The numbers that gcada, Section VI, reports of one run on MNIST: 0.068 and 0.380 s, and loads."""

from __future__ import annotations

from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table
from fastgc.theory.gcada.paper import paper
from fastgc.theory.gcada.time import MEAN, least_time, most_time
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases

#: Seconds, downloads and uploads, gradients at a loss of 0.1.
REPORTED = {"G-CADA": (0.068, 12_292, 9_219), "CADA": (0.380, 19_292, 9_646)}
#: Groups and workers of a group: what the paper sets, and what its loads imply.
SET, IMPLIED, ALONE = (3, 4), (4, 3), (12, 1)


@paper.claim("reported.loads.printed", "Section VI", REFUTED)
def _() -> Cases:
    """Communication over computation is 12292/9219 = 4/3 in G-CADA with M_G = 4, for G = 3 or any
    other."""
    for shape in (SET, (2, 4), (6, 4)):
        yield _ratio("G-CADA", *shape)


@paper.claim("reported.loads.corrected", "Section VI, corrected")
def _() -> Cases:
    """Communication over computation is (M_G + 1)/M_G: 12292/9219 = 4/3 means M_G = 3 and G = 4,
    and CADA's 19292/9646 = 2 is right."""
    yield _ratio("G-CADA", *IMPLIED)
    yield _ratio("G-CADA", 3, 3)
    yield _ratio("CADA", *ALONE)


@paper.claim("reported.whole.printed", "Section VI", REFUTED)
def _() -> Cases:
    """12292 is a whole number of selected groups with M_G + 1 messages each, 9219 one of groups
    with M_G gradients, if M_G = 4, or 2 (what is left over)."""
    yield from _left_over("G-CADA", 4)
    yield from _left_over("G-CADA", 2)


@paper.claim("reported.whole.corrected", "Section VI, corrected")
def _() -> Cases:
    """12292 and 9219 are 3073 selected groups with 4 messages and 3 gradients each; 19292 and 9646
    are 9646 selected workers."""
    yield from _left_over("G-CADA", 3)
    yield from _left_over("CADA", 1)


@paper.claim("reported.time.printed", "Section VI", REFUTED)
def _() -> Cases:
    """With M_G = 4, so many selections as the loads allow, 12292/5 or 9219/4, can take .068 s on
    average (by how much they cannot)."""
    for selections in (2459, 2458, 2305):
        yield _not_allowed("G-CADA", selections, *SET)


@paper.claim("reported.time.corrected", "Section VI, corrected")
def _() -> Cases:
    """With M_G = 3, 3073 selections can take .068 s on average, and CADA's 9646 can take .380 s:
    from (S/G) (eta/M_G) H_G, all S/G times at once, to S eta/M_G, one after the other."""
    yield _not_allowed("G-CADA", 3073, *IMPLIED)
    yield _not_allowed("CADA", 9646, *ALONE)
    for name, bound in (("least_schedule_time", least_time), ("most_schedule_time", most_time)):
        for selections, groups, d in ((3072, 4, 3), (9648, 12, 1)):
            schedule: Table = {"selections": selections, "groups": groups, "d": d, "mean": MEAN}
            yield finite(name, bound(**schedule), scale=MEAN, **schedule)


def _ratio(scheme: str, groups: int, d: int) -> Case:
    """Communication over computation as reported, for groups of d."""
    _, communication, computation = REPORTED[scheme]
    return finite("load_ratio", communication / computation, groups=groups, d=d, seed=1)


def _left_over(scheme: str, d: int) -> Cases:
    """What is left of the reported loads after whole groups of d."""
    _, communication, computation = REPORTED[scheme]
    yield finite("load_left_over", 0.0, load=communication, each=d + 1)
    yield finite("load_left_over", 0.0, load=computation, each=d)


def _not_allowed(scheme: str, selections: int, groups: int, d: int) -> Case:
    """By how much so many selections cannot take the reported time."""
    seconds, _, _ = REPORTED[scheme]
    schedule: Table = {"selections": selections, "groups": groups, "d": d, "mean": MEAN}
    return finite("time_not_allowed", 0.0, scale=MEAN, **schedule, seconds=seconds)
