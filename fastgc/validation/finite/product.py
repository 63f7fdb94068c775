"""Finite statements on what fastgc builds: codes and decoders, systems, training runs."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fastgc import codes, registry, systems
from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.decoding.decode import decode
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.registry.given import made
from fastgc.systems import CodedReduce, coded_reduce, layered
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.timed_structure import Structure
from fastgc.training.data import Data
from fastgc.training.problems import Problem, shortest
from fastgc.training.selection_descent import SelectionDescent
from fastgc.validation.finite.brute_force import binary_code
from fastgc.validation.finite.brute_force.training import Record, samples

# ---- what codes assign, and what decoders answer


Table = Mapping[str, Any]
_ROUNDING = 1e-9


def code_of(table: Table) -> Code:
    """The code that fastgc builds of a table, as in a study."""
    arguments = dict(table)
    code: Code = getattr(codes, arguments.pop("family").replace("-", "_"))(**arguments)
    return code


def rows_of(table: Table) -> dict[str, Any]:
    """The encoding matrix that fastgc builds of a table, as the table of a matrix."""
    return {"family": "matrix", "rows": code_of(table).B.tolist()}


def failing_sets(code: Table, stragglers: int, decoder: str) -> int:
    """Count the sets of so many stragglers from which a decoder does not recover it."""
    mine, n = Decoder(code_of(code), decoder=decoder), code_of(code).n
    return int(np.sum(mine.errors(_packed(n, n - stragglers)) > mine.exact_threshold))


def undecodable_sets(most: int, decoder: str) -> int:
    """Count the sets of s stragglers that break a binary code, for all s < n ≤ most."""
    every = ((n, s) for n in range(1, most + 1) for s in range(n))
    return sum(failing_sets({"family": "binary", "n": n, "s": s}, s, decoder) for n, s in every)


def guaranteed_survivors(code: Table) -> int:
    """Find the smallest f such that a complete class is found among every f survivors."""
    errors = Decoder(code_of(code), decoder="class").errors_of_all_patterns()
    failed = np.flatnonzero(errors > 0.0)
    return 1 + max((pattern.bit_count() for pattern in failed.tolist()), default=-1)


def wrong_vectors(code: Table, decoder: str) -> int:
    """Count the patterns, out of all 2ⁿ, that are said to be exact and have a vector that is not.

    A vector is wrong, too, if a straggler has weight in it.
    """
    own = code_of(code)
    mine = Decoder(own, decoder=decoder)
    packed = np.arange(2**own.n, dtype=np.uint64)[:, np.newaxis]
    exact = packed[mine.errors(packed) <= mine.exact_threshold]
    vectors = mine.vectors(exact)
    alive = exact >> np.arange(own.n, dtype=np.uint64) & np.uint64(1)
    wrong = np.abs(vectors @ own.B.T - 1.0).max(axis=1) > _ROUNDING
    wrong |= np.any((alive == 0) & (vectors != 0), axis=1)
    return int(np.sum(wrong))


def scaled_entries(code: Table, decoder: str) -> int:
    """Count the entries of the matrix, and of the vectors of all 2ⁿ patterns, not 0 and not 1."""
    own = code_of(code)
    vectors = Decoder(own, decoder=decoder).vectors(np.arange(2**own.n, dtype=np.uint64)[:, None])
    return sum(int(np.sum((entries != 0) & (entries != 1))) for entries in (own.B, vectors))


def vector_weight(code: Table, s: int, residue: int, decoder: str) -> int:
    """Count the answers that are added up when only the workers of one class are there.

    It is 0 where they do not add up to the gradient.
    """
    own = code_of(code)
    found = decode(own, list(range(residue, own.n, s + 1)), decoder)
    if np.any(np.abs(found.residual) > _ROUNDING):
        return 0
    return int(np.sum(np.abs(found.vector) > _ROUNDING))


def broken_shifts(code: Table, s: int, within: bool) -> int:
    """Count the steps from a class's vector to the next one's that are no cyclic shift."""
    own = code_of(code)
    vectors = np.zeros((s + 1, own.n))
    for residue in range(s + 1):
        members = list(range(residue, own.n, s + 1))
        vectors[residue, members] = decode(own, members, "class").vector
    return binary_code.count_broken_shifts(vectors.tolist(), own.n % (s + 1) if within else 0)


def unevenness(code: Table, s: int) -> float:
    """Return fastgc's own d_s."""
    return codes.unevenness(code_of(code), s)


def larger_classes(code: Table) -> int:
    """Count the classes with more workers than the smallest has."""
    sizes = [len(members) for members in code_of(code).classes or ()]
    return sum(size > min(sizes) for size in sizes)


def workers_in_class(code: Table, group: int, residue: int) -> int:
    """Count the workers of a group, numbered group by group, in the class of a worker."""
    (members,) = (workers for workers in code_of(code).classes or () if residue in workers)
    first = sum(code["workers"][:group])
    return sum(first <= worker < first + code["workers"][group] for worker in members)


def matrix_of(n: int, s: int) -> Values:
    """Return the encoding matrix of fastgc's binary code."""
    return codes.binary(n, s).B


def _packed(n: int, survivors: int) -> NDArray[np.uint64]:
    chosen = itertools.combinations(range(n), survivors)
    return np.array([[sum(1 << j for j in columns)] for columns in chosen], dtype=np.uint64)


# ---- what systems allocate and decode, and when they are done


Rows = Sequence[Sequence[float]]


def mean_time(system: Mapping[str, Any], receive: float = 0.0) -> float:
    """Mean time by fastgc's exact law; whole tasks take 1 plus an exponential time of mean 1."""
    return _mean(structure_of(system), receive)


def port_delay(system: Mapping[str, Any], receive: float) -> float:
    """Return by how much ports delay a system on average."""
    structure = structure_of(system)
    return _mean(structure, receive) - _mean(structure, 0.0)


def structure_of(system: Mapping[str, Any]) -> Structure:
    """The structure that fastgc builds of a table, as in a study."""
    arguments = dict(system)
    family = arguments.pop("family").replace("-", "_")
    # the tree alone, without a code for its data
    maker = CodedReduce if family == "coded_reduce" else getattr(systems, family)
    structure: Structure = maker(**arguments).structure()
    return structure


@cache
def _mean(structure: Structure, receive: float) -> float:
    law = Exponential(mean=1.0, shift=1.0).time()
    return distribution(structure, [law], receive, "start").mean()


def largest_share(**given: Any) -> float:
    """Return the largest share of the samples that a worker of a tree is allocated."""
    tree = coded_reduce(**given)
    held = [len(set(own.samples.tolist())) for own in tree.allocate(tree.multiple)]
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
    shares = coded_reduce(**given).allocate(len(set().union(*held)))
    own = [set(each.samples.tolist()) for each in shares]
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
    # children of each worker, and of the master at −1; the samples in each worker's subtree
    tree = coded_reduce(**given)
    held = [set(own.samples.tolist()) for own in tree.allocate(tree.multiple)]
    below: dict[int, list[int]] = {}
    for worker in reversed(range(tree.workers)):
        parent = tree.structure().parents[worker] - 1
        below.setdefault(parent, []).insert(0, worker)
        if parent >= 0:
            held[parent] |= held[worker]
    return below, held


def workers(n: int, layers: int) -> int:
    """Count the workers that are allocated samples."""
    tree = coded_reduce(n, layers, 0, code=codes.frc(n, 1))
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
    gradients = np.random.default_rng(1).standard_normal((tree.multiple, 2))
    shares = tree.allocate(len(gradients))
    own = np.array([share.coefficients @ gradients[share.samples] for share in shares])
    wrong = 0
    for several in itertools.product(*choices):
        lost = list(itertools.chain.from_iterable(several))
        answers = own.copy()
        answers[lost] = np.nan  # whatever a straggler has must not be used
        wrong += not _gives(partial(tree.reduce, answers, lost), gradients.sum(axis=0))
    return wrong


def undecodable_answers(n: int, k: Sequence[int], layer: int, answers: int) -> int:
    """Count the sets of so many workers from whose answers fastgc does not decode a layer, from 1.

    Tasks of random numbers are coded and decoded; the other layers' answers are not there.
    """
    scheme = layered(n, k)
    tasks = np.random.default_rng(1).standard_normal((scheme.tasks, 2))
    coded = scheme.encode(tasks)[layer - 1]
    first = sum(k[: layer - 1])
    wanted = tasks[first : first + k[layer - 1], np.newaxis]
    sets = itertools.combinations(range(n), answers)
    there = ({worker: coded[worker] for worker in workers} for workers in sets)
    return sum(not _gives(partial(scheme.decode, layer - 1, each), wanted) for each in there)


def _gives(decode: Callable[[], Any], wanted: Values) -> bool:
    try:
        return bool(np.abs(decode() - wanted).max() < 1e-6 * np.abs(wanted).max())
    except FastgcError:
        return False


# ---- training runs on given data


def train(
    data: Mapping[str, Any],
    optimizer: Mapping[str, Any],
    selection: Mapping[str, Any],
    iterations: int,
) -> Record:
    """Train with selected workers that are all equally fast."""
    X, y = samples(data)
    linear = registry.members("problem")["linear"]
    problem = cast(Problem, made(linear, "linear", samples=len(y), features=X.shape[1]))
    given = Data(X, y, 0, partial(shortest, X, y))  # in place of the problem's own
    chosen = _member("selection", selection)
    training = SelectionDescent(problem, given, _member("optimizer", optimizer), chosen, iterations)
    runs = training.run(np.ones((iterations, chosen.workers, 1)))
    counts = (runs[name][:, 0].astype(int) for name in ("downloads", "uploads", "gradients"))
    return Record(runs["loss"][:, 0].tolist(), *(own.tolist() for own in counts))


def _member(group: str, table: Mapping[str, Any]) -> Any:
    given = dict(table)
    tag = given.pop("method")
    return made(registry.members(group)[tag], tag, **given)
