"""Kernels as NumPy calls, with the same bits, for studies too small to load a compiler for.

`demo`, closed laws of times, and decoding by groups of workers, sampled, call no other kernels:
they need no compiler, which takes a second to load. A fallback has the arguments of its kernel. It
returns NotImplemented, with nothing touched, where it would take long. Kernels that it calls run as
the Python functions that they are written as, and helpers without branches work on arrays. Tests
hold each kernel and its fallback against each other, to the last bit.
"""

#: Kernels that have a fallback under the same name, with its module here.
MODULES = {
    f"{home}.{name}": f"{home.partition('.')[0]}_fallbacks"
    for home, names in (
        ("decode.elimination", "solve"),
        ("decode.groups", "errors lost_groups lost_partitions"),
        ("draw.elementary", "exps expm1s logs log1ps normals powers"),
        ("draw.pattern_words", "addresses bernoulli count_survivors pack subsets unpack"),
        ("draw.philox", "words"),
        ("tally.sums", "by_strata histogram powers"),
    )
    for name in names.split()
}
