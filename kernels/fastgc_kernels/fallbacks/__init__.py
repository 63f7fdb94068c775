"""Kernels as NumPy calls, with the same bits, for studies too small to load a compiler for.

`demo`, closed laws of times, sampled decoding by groups, and all patterns of twelve workers need no
compiler, which takes a second to load. A fallback has the arguments of its kernel; it returns
NotImplemented, with nothing touched, where it would take long. Kernels that it calls run as Python,
and helpers without branches work on arrays. Tests hold both against each other, to the last bit.
"""

from math import comb

#: Kernels that have a fallback under the same name, with its module here.
MODULES = {
    f"{home}.{name}": f"{home.partition('.')[0]}_fallbacks"
    for home, names in (
        ("decode.groups", "errors lost_groups lost_partitions"),
        ("draw.elementary", "exps expm1s logs log1ps normals powers"),
        ("draw.pattern_words", "bernoulli count_survivors pack subsets unpack"),
        ("draw.philox", "words"),
        ("tally.sums", "by_strata histogram powers"),
    )
    for name in names.split()
}
#: Kernels that serve as the Python that they are written as, with the microseconds of a call.
AS_WRITTEN = {
    "decode.elimination.solve": lambda A, b, x: b.size**3,
    "decode.gram_schmidt._by_rows": lambda packed, rows, *_: len(packed) * rows.size,
    "decode.jacobi.combine": lambda weights, rows: rows.size,
    "decode.jacobi.decoding_vectors": lambda packed, columns, _: 3 * len(packed) * columns.size,
    "decode.jacobi.gram": lambda rows: rows.size * rows.shape[1],
    "decode.jacobi.svd": lambda B, y: 4 * B.shape[1] ** 2 * (sum(B.shape) + 16),
    "decode.least_squares.dependent": lambda patterns, _, terms, N, *more: (
        len(patterns.packed) * (terms.x.size * (terms.x.size + N.size) // 6 + 20)
    ),
    "decode.least_squares.normalise": lambda H, x: H.size,
    "decode.orthogonal.ranks": lambda packed, columns, _: 3 * len(packed) * columns.size,
    "draw.pattern_words.addresses": lambda first, iterations, groups, *out: iterations * groups,
}
for _name in ("search", "search_dependent"):  # sets, and what one of them takes
    AS_WRITTEN[f"decode.worst_subsets.{_name}"] = lambda items, first, last, terms, *_: (
        comb(len(terms.H), min(items.budget, len(terms.H) // 2)) * terms.H.size
    )
