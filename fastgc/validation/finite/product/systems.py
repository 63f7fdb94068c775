"""What fastgc's systems allocate and decode, when they are done; and its training runs."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, cast

import numpy as np

from fastgc import registry, systems
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.registry.given import made
from fastgc.systems import CodedReduce, coded_reduce, layered
from fastgc.systems.rules import choose
from fastgc.systems.schemes.reduction import CodedReduceTree
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.structure import Structure
from fastgc.training.data.data import Data
from fastgc.training.problems import Problem, shortest
from fastgc.training.selected import Selecting
from fastgc.validation.finite.brute_force.training import Record, samples

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


def structure_of(system: Mapping[str, Any]) -> Structure:
    """The structure that fastgc builds of a table, as in a study."""
    arguments = dict(system)
    family = arguments.pop("family").replace("-", "_")
    # the tree alone, without a code for its data
    maker = CodedReduce if family == "coded_reduce" else getattr(systems, family)
    structure: Structure = maker(**arguments).structure()
    return structure


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


def answers_of_layer(rule: str, n: int, layers: int, tasks: int, layer: int) -> int:
    """Return k_j, j from 1, as a rule chooses it."""
    return choose(rule, n, layers, tasks, Exponential(mean=1.0).time())[layer - 1]


# ---- training runs on given data


def train(
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    selection: Mapping[str, Any],
    iterations: int,
) -> Record:
    """Train with selected workers that are all equally fast."""
    problem, given = _task(data)
    chosen = _member("selection", selection)
    training = Selecting(problem, given, _member("optimizer", optimizer), chosen, iterations)
    runs = training.run(np.ones((iterations, chosen.workers, 1)))
    counts = (runs.downloads, runs.uploads, runs.gradients)
    return Record(runs.loss[:, 0].tolist(), *(curve[:, 0].astype(int).tolist() for curve in counts))


def _task(data: Mapping[str, Any]) -> tuple[Problem, Data]:
    """Linear regression, and the data it is given in place of its own."""
    X, y = samples(data)
    member = registry.members("problem")["linear"]
    problem = cast(Problem, made(member, "linear", samples=len(y), features=X.shape[1]))
    return problem, Data(X, y, 0, partial(shortest, X, y))


def _member(room: str, table: Mapping[str, Any]) -> Any:
    given = dict(table)
    tag = given.pop("method")
    return made(registry.members(room)[tag], tag, **given)
