"""Claims of paper codedreduce on its simulation: N = 156, resiliency 5/12, d = 49920 (IV-B)."""

from __future__ import annotations

from functools import partial

from fastgc.theory.cases.completion import CODEDREDUCE, completion, exponential, star, timed, tree
from fastgc.theory.cases.tables import Table
from fastgc.theory.codedreduce.simulation import HELD, MEANS, POINTS, PRINTED, RECEIVE, SECONDS
from fastgc.theory.papers.claim import Case, Claim, eager

_claim = partial(eager, paper="codedreduce", relation="=")

SYSTEMS: dict[str, Table] = {
    "UMW": {"family": "uncoded", "n": 156},
    "GC": star(156, 65),
    "RAR": {"family": "ring-all-reduce", "n": 156},
    "SGD": {"family": "ignore-stragglers", "n": 156, "stragglers": 65},
    "CR": tree(12, 2, 5),
}
_PLACE = f"{CODEDREDUCE}, Section IV-B and Figure 13"


def simulation_claims() -> tuple[Claim, ...]:
    """Claims on mean times and speedups of five schemes."""
    return (
        _claim(
            id="codedreduce.simulation.speedups.printed",
            statement=(
                "CR is 6.6, 4.8, 1.8 and 4.0 times as fast as UMW, GC, RAR and SGD (mean time over "
                "that of CR)"
            ),
            citation=_PLACE,
            expected="refuted",
            cases=tuple(_speedup(name, printed) for name, printed in PRINTED.items()),
        ),
        _claim(
            id="codedreduce.simulation.speedups.corrected",
            statement=(
                "CR is 6.886, 4.945 and 4.023 times as fast as UMW, GC and SGD; RAR, whose ring "
                "carries segments of 1/N, is 5.5 times as fast as CR"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=tuple(_speedup(name, MEANS[name] / MEANS["CR"]) for name in PRINTED),
        ),
        _claim(
            id="codedreduce.simulation.one-more-message.corrected",
            statement=(
                "With the time of one more message on every scheme, CR is 6.64, 4.78 and 3.90 "
                "times as fast as UMW, GC and SGD"
            ),
            citation=f"{_PLACE}, corrected",
            expected="confirmed",
            cases=tuple(
                _speedup(name, (MEANS[name] + RECEIVE) / (MEANS["CR"] + RECEIVE), one_more=True)
                for name in ("UMW", "GC", "SGD")
            ),
        ),
        _claim(
            id="codedreduce.simulation.means.corrected",
            statement=(
                "Mean times in seconds are 7.816103 (UMW), 5.612774 (GC), 4.566103 (SGD), .205443 "
                "(RAR), 1.135047 (CR), and 1.239730 for CR whose nodes receive after their own "
                "work"
            ),
            citation=f"{_PLACE}, from the models of Section III-C",
            expected="confirmed",
            cases=(
                *(timed(experiment(name), MEANS[name]) for name in SYSTEMS),
                timed(experiment("CR", opens="after-own"), MEANS["CR after-own"]),
            ),
        ),
    )


def experiment(name: str, opens: str = "start", one_more: bool = False) -> Table:
    """Table of one scheme of the simulation, or with the time of one more message on its end."""
    # so many points make the shift of every worker longer by one message
    more = RECEIVE / HELD[name] if one_more else 0.0
    latency = exponential(SECONDS, SECONDS + more)
    return completion(SYSTEMS[name], latency, work=POINTS, receive=RECEIVE, opens=opens)


def _speedup(name: str, theory: float, one_more: bool = False) -> Case:
    other, own = experiment(name, one_more=one_more), experiment("CR", one_more=one_more)
    return timed(other, theory, against=own, how="ratio")
