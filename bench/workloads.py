"""All contests by name; each is built for a size, of which 1 is the full one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench import completion, decoding, deficient, drawing, scale, training
from bench.contests import Contest

CONTESTS: dict[str, Callable[[float], Contest]] = {
    "any-20": decoding.any_20,
    "any-20-half": decoding.any_20_half,
    "frc-20": decoding.frc_20,
    "circulant-64": decoding.circulant_64,
    "any-50": decoding.any_50,
    "any-100": decoding.any_100,
    "tandon-50": deficient.tandon_50,
    "tandon-300": deficient.tandon_300,
    "mds-50": deficient.mds_50,
    "mds-80": deficient.mds_80,
    "mds-100": deficient.mds_100,
    "patterns-20": decoding.patterns_20,
    "look-up-16": decoding.look_up_16,
    "binary-103": decoding.binary_103,
    "frc-10000": scale.frc_10000,
    "sparse-1000-few": partial(scale.sparse_1000, "sparse-1000-few", 0.02, 4096),
    "sparse-1000-many": partial(scale.sparse_1000, "sparse-1000-many", 0.2, 64),
    "words": drawing.words,
    "iid-20": partial(drawing.iid, 20),
    "iid-64": partial(drawing.iid, 64),
    "iid-256": partial(drawing.iid, 256, packed=True),
    "subsets-64": drawing.subsets,
    "two-class-64": drawing.two_class,
    "tally": drawing.tally,
    "times": completion.times,
    "order-100": completion.order,
    "order-tallied": completion.order_tallied,
    "orders-100": completion.orders,
    "layers-100": completion.layers,
    "tree-156": completion.tree,
    "descent-linear": training.linear,
    "descent-logistic": training.logistic,
    "selection": training.selection,
}
KEEPING = "keeping"
THREADS = "threads"
START = "start"
NAMES = (*CONTESTS, KEEPING, THREADS, START)
