"""Systems whose workers send chunks, batches or blocks, and terms: some of every kind."""

from fastgc.systems import answers, at_least, batches, partial
from fastgc.systems.timing.terms import parse

TURNED = [[w, (w + 1) % 6, (w + 2) % 6][:: 1 if w % 2 == 0 else -1] for w in range(6)]
PARTIAL = [
    partial(n=5, d=3), partial(n=6, d=3, placement="frc"), partial(n=6, d=3, order=TURNED),
    partial(n=6, d=2, placement="frc", order="sorted"), partial(n=5, d=3, draws="task"),
    partial(n=6, d=3, draws="task", order="random", seed=5), partial(n=3, d=1),
    partial(n=4, d=4, order="sorted"), partial(n=3, d=2, order=[[3, 1], [2, 0], [1, 2]]),
]  # fmt: skip
BATCHES = [
    batches(n=6, d=2), batches(n=6, d=3, placement="disjoint"), batches(n=7, d=3),
    batches(n=4, d=4), batches(n=8, d=4, placement="random-batches", seed=3),
    batches(n=6, d=3, placement="random", seed=5),
    batches(n=3, d=2, placement=[[0, 1], [1, 2], [3, 0]]),
]  # fmt: skip
#: The shares of four blocks, each of which one worker more may be missing for.
SHARES = [(0, 3, 0, 1), (1, 0, 0, 0), (0, 0, 0, 2), (1, 2, 3, 4), (5, 0, 1, 0)]
RACKS = at_least(3, *(at_least(5, *answers(6, first=first)) for first in range(0, 24, 6)))
BRANCHES = parse("2 of (2 of (w0, 1 of (w1, w2)), 2 of (w3, 2 of (w4, w5, w6)), w7)")
SPARES = parse("2 of (2 of (w0, w1, w2 + 0.5), 2 of (w3, w4, w5 + 0.5))")
DEADLINE = parse("1 of (2 of (w0, 2 * w1 + 0.25), 1.5)")
TWICE = parse("2 of (1 of (w0, 2 * w1), 1 of (w1, 2 * w2), 1 of (w2, 2 * w0))")
SERIES = parse("2 of (w0[1], 1 of (w1, w1[1]), w2[2] + 0.1)")
TERMS = [RACKS, BRANCHES, SPARES, DEADLINE, TWICE, SERIES]
