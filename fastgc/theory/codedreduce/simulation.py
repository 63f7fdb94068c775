"""Numbers of the simulation in paper codedreduce, Section IV-B."""

from __future__ import annotations

#: Data points d, seconds a point (a = 1/μ), seconds a message (t_c).
POINTS = 49920.0
SECONDS = 5e-5
RECEIVE = 0.05

#: "CR achieves a speedup of up to 6.6, 4.8, 1.8 and 4.0" (Figure 13).
PRINTED = {"UMW": 6.6, "GC": 4.8, "RAR": 1.8, "SGD": 4.0}

#: Data points of a worker: d/N, (S+1) d/N with S = 65, r_CR d with s = 5.
HELD = {
    "UMW": POINTS / 156,
    "GC": 66 * POINTS / 156,
    "RAR": POINTS / 156,
    "SGD": POINTS / 156,
    "CR": POINTS / 6,
}

#: Exact mean times, by `star_mean_with_port`, `tree_mean_with_port` and `ring_mean`; kept here
#: because the large stars take a second.
MEANS = {
    "UMW": 7.816102564103,
    "GC": 5.612773683113,
    "RAR": 0.205443348376,
    "SGD": 4.566102564103,
    "CR": 1.135046993732,
    "CR after-own": 1.239729995926,
}
