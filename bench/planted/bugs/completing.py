"""Bugs in systems: when they are complete, and how they share out their work."""

from __future__ import annotations

from bench.planted.bug import Bug

_COMPLETE = "kernels/fastgc_kernels/complete"

BUGS = (
    Bug(
        "side-by-side",
        f"{_COMPLETE}/tree.py",
        "clock[t] = (a if a > c else c) + receive",
        "clock[t] = a + receive if a + receive > c else c",
        "tree: a port receives messages side by side",
        ("literature.round.tree", "literature.port.star"),
    ),
    Bug(
        "last-message",
        f"{_COMPLETE}/tree.py",
        "total[0, t] += 1.0 if e <= clock[t] and e < np.inf else 0.0",
        "total[0, t] += 1.0 if e < clock[t] and e < np.inf else 0.0",
        "tree: the last message is not counted",
        ("literature.round.tree", "literature.port.messages"),
    ),
    Bug(
        "one-answer-layers",
        f"{_COMPLETE}/layers.py",
        "if k[j] > 0:",
        "if k[j] > 1:",
        "layers that wait for one answer are left out of the maximum",
        ("hierarchical.factor", "literature.round.layers"),
    ),
    Bug(
        "one-message-more",
        f"{_COMPLETE}/port.py",
        "clock[t] = late if i < left[t] else c",
        "clock[t] = late if i <= left[t] else c",
        "port of layers and groups: one message too many where trials differ",
        ("literature.port.groups", "literature.round.groups"),
    ),
    Bug(
        "completing-answer",
        f"{_COMPLETE}/port.py",
        "if arrival <= done[t]:",
        "if arrival < done[t]:",
        "port of many answers: the one that completes is left out of the order",
        ("literature.port.groups", "literature.round.layers", "literature.round.groups"),
        counts=False,
    ),
    Bug(
        "always-open",
        f"{_COMPLETE}/regular_trees.py",
        "sent[t] = own[t] if after_own else 0.0",
        "sent[t] = 0.0",
        'regular tree: ports of the lowest parents open at once also with "after-own"',
        ("codedreduce.simulation.means",),
    ),
    Bug(
        "coarse-weights",
        f"{_COMPLETE}/crossing.py",
        "(m <= size or value > 1e-20)",
        "(m <= size or value > 1e-3)",
        "exact law: the sum of Poisson weights stops at 1e-3",
        ("hierarchical.distribution", "literature.order-statistics.two-class"),
        digits=True,
    ),
    Bug(
        "first-of-equals",
        "fastgc/systems/timing/order_statistics.py",
        "for j, k in enumerate(structure.k, 1) if k > 0}",
        "for j, k in reversed([*enumerate(structure.k, 1)]) if k > 0}",
        "fused draws: of layers with equal k the first decides instead of the last",
        ("hierarchical.equation5", "hierarchical.distribution"),
    ),
    Bug(
        "no-messages",
        "fastgc/systems/timing/evaluator.py",
        "messages[never] = np.isfinite(times[:, never]).sum(axis=0)",
        "messages[never] = 0.0",
        "star that never completes: 0 messages instead of all that arrived",
        ("literature.port.messages", "literature.round.star"),
    ),
    Bug(
        "coarse-search",
        "fastgc/systems/rules/search.py",
        "step //= 2",
        "step = 0",
        "optimal rule, many layers: only the coarsest step is searched",
        ("hierarchical.optimum",),
    ),
    Bug(
        "busy-port",
        "fastgc/experiments/completion/measures.py",
        "max(0.0, setting.least - setting.busy)",
        "setting.least",
        "waiting: its least value forgets that the port is busy",
        ("literature.port.waiting",),
        counts=False,
    ),
    Bug(
        "square-of-share",
        "fastgc/experiments/accumulators.py",
        "first, second = sums[0] / self._of, sums[1] / self._of**2",
        "first, second = sums[0] / self._of, sums[1] / self._of",
        "probability over several iterations (decodable): its standard error",
        ("literature.standard-error.iterations",),
    ),
)
