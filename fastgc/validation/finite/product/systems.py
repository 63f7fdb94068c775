"""What fastgc's systems allocate and decode, and when they are done."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from fastgc import systems
from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.systems import CodedReduce, coded_reduce, layered
from fastgc.systems.rules import choose
from fastgc.systems.schemes.reduction import CodedReduceTree
from fastgc.systems.timing.completing import complete
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.structure import Structure
from fastgc.validation.finite.brute_force import layers as brute_force

Rows = Sequence[Sequence[float]]
_FEATURES = 2


def mean_time(system: Mapping[str, Any], receive: float = 0.0, opens: str = "start") -> float:
    """Mean time of a system whose workers' whole tasks take 1 plus an exponential time of mean 1.

    From fastgc's exact law.
    """
    return _mean(structure_of(system), receive, opens)


def worst_chunks(orders: Rows, copies: int) -> int:
    """Return how many finished chunks fastgc says are always enough."""
    lists = [[int(chunk) for chunk in own] for own in orders]
    system = systems.partial(n=len(lists), d=len(lists[0]), order=lists, copies=copies)
    return int(system.worst_chunks())


def port_delay(system: Mapping[str, Any], receive: float) -> float:
    """Return by how much ports delay a system on average."""
    structure = structure_of(system)
    return _mean(structure, receive, "start") - _mean(structure, 0.0, "start")


def messages_received(
    system: Mapping[str, Any], answering: int, seed: int, receive: float = 0.0
) -> float:
    """Count the messages of a round in which so many workers, drawn at random, ever answer."""
    structure = structure_of(system)
    draw = np.random.default_rng(seed)
    times = np.full(structure.workers, np.inf)
    times[draw.permutation(structure.workers)[:answering]] = draw.exponential(size=answering)
    return float(complete(structure, times, receive).messages)


def least_path(
    n: int, layers: int, s: int, receive: float, shift: float, paths: int, seed: int
) -> float:
    """Return the shortest time of a coded tree on so many random paths."""
    tree = CodedReduce(n=n, layers=layers, s=s)
    return float(np.min(complete(tree, _times(tree, shift, paths, seed), receive).time))


def longest_path_delay(
    n: int, layers: int, s: int, receive: float, shift: float, paths: int, seed: int
) -> float:
    """Return by how much ports delay a coded tree most, on so many random paths."""
    tree = CodedReduce(n=n, layers=layers, s=s)
    times = _times(tree, shift, paths, seed)
    late = np.asarray(complete(tree, times, receive).time) - complete(tree, times).time
    return float(np.max(late))


def structure_of(system: Mapping[str, Any]) -> Structure:
    """The structure that fastgc builds of a table, as in a study."""
    arguments = dict(system)
    family = arguments.pop("family").replace("-", "_")
    # the tree alone, without a code for its data
    maker = CodedReduce if family == "coded_reduce" else getattr(systems, family)
    structure: Structure = maker(**arguments).structure()
    return structure


def _times(tree: CodedReduce, shift: float, paths: int, seed: int) -> Values:
    draw = np.random.default_rng(seed)
    return shift + draw.exponential(size=(tree.workers(), paths))


@cache
def _mean(structure: Structure, receive: float, opens: str) -> float:
    return distribution(structure, [Exponential(mean=1.0, shift=1.0).time()], receive, opens).mean()


def largest_share(**given: Any) -> float:
    """Return the largest share of the samples that a worker of a tree is allocated."""
    tree = coded_reduce(**given)
    held = [len(set(own.tolist())) for own in tree.allocate(tree.multiple)]
    return max(held) / tree.multiple


def share_of_subtree(layer: int, **given: Any) -> float:
    """Return the share of the samples that the subtree of a layer's first worker is allocated."""
    below, held = _held_in_subtrees(**given)
    first = 0
    for _ in range(layer - 1):
        first = below[first][0]
    return len(held[first]) / len(set().union(*held))


def fewest_below(**given: Any) -> int:
    """Of how many subtrees of a worker's children a sample of its subtree is, if not its own."""
    below, held = _held_in_subtrees(**given)
    own = [set(each.tolist()) for each in coded_reduce(**given).allocate(len(set().union(*held)))]
    return min(
        sum(sample in held[child] for child in children)
        for worker, children in below.items()
        if worker >= 0
        for sample in held[worker] - own[worker]
    )


def fewest_subtrees(**given: Any) -> int:
    """Of how many subtrees of the master's children a sample is at least."""
    below, held = _held_in_subtrees(**given)
    return min(sum(sample in held[child] for child in below[-1]) for sample in set().union(*held))


def _held_in_subtrees(**given: Any) -> tuple[dict[int, list[int]], list[set[int]]]:
    """Children of each worker, and of the master at −1; the samples in each worker's subtree."""
    tree = coded_reduce(**given)
    held = [set(own.tolist()) for own in tree.allocate(tree.multiple)]
    below: dict[int, list[int]] = {}
    for worker in reversed(range(tree.workers)):
        parent = tree.structure().parents[worker] - 1
        below.setdefault(parent, []).insert(0, worker)
        if parent >= 0:
            held[parent] |= held[worker]
    return below, held


def samples_held(samples: int, **given: Any) -> int:
    """Add up the samples that the workers are allocated."""
    return sum(map(len, coded_reduce(**given).allocate(samples)))


def whole_samples(**given: Any) -> int:
    """Return the number of samples of which a tree needs a multiple."""
    return coded_reduce(**given).multiple


def workers(n: int, layers: int) -> int:
    """Count the workers that are allocated samples."""
    tree = coded_reduce(n, layers, 0, code="frc")
    return len(tree.allocate(tree.multiple))


def undecoded_patterns(s: int, rows: Rows | None = None, **given: Any) -> int:
    """Count the patterns of at most s stragglers per parent that do not give the exact sum.

    With ``rows``, the rows of an encoding matrix, instead of fastgc's own code.
    """
    tree = coded_reduce(s=s, code=None if rows is None else np.array(rows).T, **given)
    below: dict[int, list[int]] = {}
    for worker, parent in enumerate(tree.structure().parents):
        below.setdefault(parent, []).append(worker)
    choices = [
        [lost for size in range(s + 1) for lost in itertools.combinations(own, size)]
        for own in below.values()
    ]
    patterns = [list(itertools.chain.from_iterable(lost)) for lost in itertools.product(*choices)]
    return len(patterns) - _decoded(tree, patterns)


def decoded_sets(stragglers: int, **given: Any) -> int:
    """Count the sets of so many stragglers of which a tree still makes the exact sum."""
    tree = coded_reduce(**given)
    return _decoded(tree, map(list, itertools.combinations(range(tree.workers), stragglers)))


def fewest_that_break(**given: Any) -> int:
    """Try all sets of stragglers, small ones first, until a tree does not make the exact sum."""
    tree = coded_reduce(**given)
    workers = range(tree.workers)
    return next(
        size
        for size in range(tree.workers + 1)
        if any(_decoded(tree, [list(lost)]) == 0 for lost in itertools.combinations(workers, size))
    )


def _decoded(tree: CodedReduceTree, patterns: Iterable[list[int]]) -> int:
    gradients = np.random.default_rng(1).standard_normal((tree.multiple, _FEATURES))
    whole = gradients.sum(axis=0)
    own = np.array(
        [
            share.coefficients @ gradients[share.samples]
            for share in tree.allocate(len(gradients)).shares
        ]
    )
    count = 0
    for lost in patterns:
        answers = own.copy()
        answers[lost] = np.nan  # whatever a straggler has must not be used
        try:
            found = tree.reduce(answers, lost, stuck="lost")
        except FastgcError:
            continue
        count += bool(np.abs(found - whole).max() < 1e-6 * np.abs(whole).max())
    return count


def undecodable_answers(n: int, k: Sequence[int], layer: int, answers: int) -> int:
    """Count the sets of so many workers from whose answers fastgc does not decode a layer, from 1.

    Tasks of random numbers are coded and decoded; the other layers' answers are not there.
    """
    scheme = layered(n, k)
    tasks = np.random.default_rng(1).standard_normal((scheme.tasks, 2))
    coded = scheme.encode(tasks)[layer - 1]
    first = sum(k[: layer - 1])
    wanted = tasks[first : first + k[layer - 1], np.newaxis]
    wrong = 0
    for workers in itertools.combinations(range(n), answers):
        try:
            found = scheme.decode(layer - 1, {worker: coded[worker] for worker in workers})
        except FastgcError:
            wrong += 1
        else:
            wrong += not np.allclose(found, wanted, atol=1e-8)
    return wrong


def finished_at(k: Sequence[int], times: Sequence[float]) -> float:
    """Compute a product from the answers of workers with these times, and say when that is."""
    A = np.arange(3.0 * sum(k)).reshape(-1, 3) % 7
    x = np.array([1.0, -2.0, 0.5])
    product, moment = layered(len(times), k).product(A, x, times)
    return moment if np.allclose(product, A @ x) else -1.0


def answers_of_layer(
    rule: str, n: int, layers: int, tasks: int, layer: int, shift: float = 0.0
) -> int:
    """Return k_j, j from 1, as a rule chooses it."""
    return _chosen(rule, n, layers, tasks, shift)[layer - 1]


def mean_of_rule(rule: str, n: int, layers: int, tasks: int, shift: float) -> float:
    """Mean finishing time of what a rule chooses, by Simpson's rule."""
    return brute_force.finishing_mean(n, _chosen(rule, n, layers, tasks, shift), 1.0, shift)


def gain_of_a_move(rule: str, n: int, layers: int, tasks: int, shift: float) -> float:
    """Largest share of the mean that moving one task saves, after a rule's choice."""
    return brute_force.gain_of_a_move(_chosen(rule, n, layers, tasks, shift), n, shift)


def _chosen(rule: str, n: int, layers: int, tasks: int, shift: float) -> tuple[int, ...]:
    return choose(rule, n, layers, tasks, Exponential(mean=1.0, shift=shift).time())
