"""Bugs in what is drawn: patterns, numbers and times."""

from __future__ import annotations

from bench.planted.bug import Bug

_DRAW = "kernels/fastgc_kernels/draw"
_PATTERNS = f"{_DRAW}/patterns.py"

BUGS = (
    Bug(
        "eight-digits",
        _PATTERNS,
        "last = max(pairs[j], other_pairs[j]) if two else pairs[j]",
        "last = min(FIRST_PAIRS, max(pairs[j], other_pairs[j]) if two else pairs[j])",
        "p is cut to 8 binary digits: 0.247 is 0.2461",
        ("agc.remark2", "literature.stragglers.binomial"),
    ),
    Bug(
        "less-or-equal",
        _PATTERNS,
        "out[j, start + t] = ~straggles[t]",
        "out[j, start + t] = ~(straggles[t] | (undecided[t] if last == FIRST_PAIRS else ZERO))",
        "U ≤ p for U < p where p has 7 or 8 binary digits: p + 1/256",
        ("literature.stragglers.binomial",),
    ),
    Bug(
        "nine-rounds",
        f"{_DRAW}/philox.py",
        "for _ in range(10):",
        "for _ in range(9):",
        "Philox with 9 rounds",
        ("self-check.philox",),
    ),
    Bug(
        "last-unmoved",
        _PATTERNS,
        "            bound = top + ONE\n",
        "            bound = top\n",
        "subsets of at most 64 workers: a shuffle that does not move the last",
        ("literature.stragglers.hypergeometric", "literature.stragglers.alike"),
    ),
    Bug(
        "modulo",
        _PATTERNS,
        "pick = product >> SHIFT32",
        "pick = (row[t] >> U64(24)) % (bound & MASK32)",
        "subsets of at most 64 workers: 8 bits modulo the bound, chances are up to 3 % off",
        ("literature.stragglers.hypergeometric", "literature.stragglers.alike"),
    ),
    Bug(
        "next-worker",
        _PATTERNS,
        "                        pick = top\n",
        "                        pick = (pick + ONE) % U64(n)\n",
        "subsets of more than 64 workers: a collision takes the next worker, who may repeat",
        ("literature.stragglers.hypergeometric", "literature.stragglers.alike"),
    ),
    Bug(
        "cut-at-12",
        f"{_DRAW}/pairs.py",
        "        even[t] = 0.0 - log(even[t])\n        odd[t] = 0.0 - log(odd[t])\n",
        "        even[t] = min(12.0, 0.0 - log(even[t]))\n"
        "        odd[t] = min(12.0, 0.0 - log(odd[t]))\n",
        "exponential numbers are cut at 12",
        ("self-check.exponential",),
    ),
    Bug(
        "logarithm",
        f"{_DRAW}/variates.py",
        "3.999999999940941908e-01",
        "4.039999999940941908e-01",
        "a coefficient of the logarithm is 1 % off",
        ("self-check.exponential",),
    ),
    Bug(
        "next-order-statistic",
        f"{_DRAW}/strips.py",
        "    powers[0] = n - k\n    powers[1] = k - 1\n",
        "    k += 1 if 8 < k < n else 0\n    powers[0] = n - k\n    powers[1] = k - 1\n",
        "order statistic k + 1 for k, where k > 8",
        ("literature.order-statistics.exponential", "literature.laws.order"),
    ),
    Bug(
        "all-kept",
        f"{_DRAW}/strips.py",
        "if log(height) + table[HEIGHT, strip] < level:",
        "if height < 1.0:",
        "order statistics: what falls between staircase and density is all kept, 1 % of draws",
        ("literature.order-statistics.exponential", "literature.laws.order"),
    ),
    Bug(
        "received-first",
        f"{_DRAW}/spacings.py",
        "done[t] = max(done[t], arrival[t]) + receive",
        "done[t] = max(done[t], arrival[t] + receive)",
        "star behind a port, laws that are not exponential: messages are received side by side",
        ("literature.port.star",),
    ),
    Bug(
        "one-uniform",
        f"{_DRAW}/times.py",
        "uniforms(own_key(key, number, CHOICE), first",
        "uniforms(own_key(key, number, INVERSION), first",
        "mixtures: part and time come from one uniform number",
        ("literature.laws.mixture",),
    ),
    Bug(
        "one-shift-more",
        "fastgc/latency/draws.py",
        '(load - 1.0) * shift if scaling == "data-dependent"',
        'load * shift if scaling == "data-dependent"',
        "a law of one's own, data-dependent: one shift too many",
        tests=("tests/latency/test_draws.py::test_times_from_uniform_numbers",),
        counts=False,
    ),
    Bug(
        "second-block",
        "fastgc/draws/streams.py",
        "np.uint64(self.first // WORD)",
        "np.uint64(self.first // WORD % 1024)",
        "patterns of the second 65 536 trials repeat the first",
        ("agc.remark2", "self-check.seeds"),
    ),
    Bug(
        "short-seed",
        "fastgc/draws/streams.py",
        "{seed}\\0{purpose}",
        "{seed & 0xFFFFFFFF}\\0{purpose}",
        "seeds are cut to 32 bits",
        ("self-check.seeds",),
    ),
)
