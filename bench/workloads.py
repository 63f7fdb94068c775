"""All contests by name; each is built for a size, of which 1 is the full one."""

from collections.abc import Callable
from functools import partial

from bench import completion, decoding, training
from bench.contests import Contest

CONTESTS: dict[str, Callable[[float], Contest]] = {
    name: partial(build, name, *sizes)
    for name, build, *sizes in (
        ("any-20", decoding.any_matrix, 20, 5, 0.2, 16, (400, 2000)),
        ("frc-20", decoding.frc, 20, 64, (400, 50_000)),
        ("any-50", decoding.any_matrix, 50, 5, 0.2, 4, (150, 400)),
        ("any-100", decoding.any_matrix, 100, 10, 20, 2, (64, 100)),
        ("tandon-50", decoding.tandon, 50, 10, 64, (150, 400)),
        ("tandon-300", decoding.tandon, 300, 30, 16, (16, 0)),
        ("mds-50", decoding.mds, 50, 16, 10, 64, (150, 400)),
        ("mds-100", decoding.mds, 100, 20, 20, 16, (100, 0)),
        ("patterns-20", decoding.patterns),
        ("frc-10000", decoding.frc, 10_000, 78, (200, 1000)),
        ("sparse-1000-few", decoding.sparse_code, 1000, 0.02, 4096, 24),
        ("sparse-1000-many", decoding.sparse_code, 1000, 0.2, 64, 24),
        ("sparse-10000-many", decoding.sparse_code, 10_000, 0.2, 64, 4),
        ("order-100", completion.order),
        ("layers-100", completion.layers),
        ("tree-156", completion.tree),
        ("descent-linear", training.contest, "linear", 506, 13),  # as Boston's
        ("descent-logistic", training.contest, "logistic", 442, 10),  # as diabetes
    )
}
THREADS = "threads"
NAMES = (*CONTESTS, THREADS)
