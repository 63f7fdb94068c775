"""All contests by name; each is built for a size, of which 1 is the full one."""

from collections.abc import Callable
from functools import partial

from bench import completion, decoding, scale, training
from bench.contests import Contest

CONTESTS: dict[str, Callable[[float], Contest]] = {
    "any-20": partial(decoding.any_matrix, "any-20", 20, 5, 0.2, 16, 400, 2000),
    "frc-20": decoding.frc_20,
    "any-50": partial(decoding.any_matrix, "any-50", 50, 5, 0.2, 4, 150, 400),
    "any-100": decoding.any_100,
    "tandon-50": partial(decoding.tandon, "tandon-50", 50, 10, 64, 150, 400),
    "tandon-300": partial(decoding.tandon, "tandon-300", 300, 30, 16, 16, 0),
    "mds-50": partial(decoding.mds, "mds-50", 50, 16, 10, 64, 150, 400),
    "mds-100": partial(decoding.mds, "mds-100", 100, 20, 20, 16, 100, 0),
    "patterns-20": decoding.patterns_20,
    "frc-10000": scale.frc_10000,
    "sparse-1000-few": partial(scale.sparse_code, "sparse-1000-few", 1000, 0.02, 4096, 24),
    "sparse-1000-many": partial(scale.sparse_code, "sparse-1000-many", 1000, 0.2, 64, 24),
    "sparse-10000-many": partial(scale.sparse_code, "sparse-10000-many", 10_000, 0.2, 64, 4),
    "order-100": completion.order,
    "layers-100": completion.layers,
    "tree-156": completion.tree,
    "descent-linear": training.linear,
    "descent-logistic": training.logistic,
}
THREADS = "threads"
START = "start"
NAMES = (*CONTESTS, THREADS, START)
