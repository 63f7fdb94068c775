"""Fallbacks for what stragglers lose, and what kernels need that run as they are written."""

import ctypes
import itertools
from operator import getitem, setitem
from typing import Any

import numpy as np

from fastgc_kernels._arrays import ONE, ZERO, Floats, Integers, Words
from fastgc_kernels.fallbacks.draw_fallbacks import bits_of

MOST = 1 << 24


def errors(
    packed: Words, labels: Integers, weights: Integers, uncovered: int, out: Floats
) -> object:
    """One group after the other."""
    patterns, words = packed.shape
    if patterns * weights.size * words > MOST:
        return NotImplemented
    masks = np.zeros((weights.size, words), np.uint64)
    for j, label in enumerate(labels):
        if label >= 0:
            masks[label, j // 64] |= ONE << np.uint64(j % 64)
    lost = np.full(patterns, uncovered, np.int64)
    for mask, weight in zip(masks, weights, strict=True):
        seen = np.zeros(patterns, np.uint64)
        for w in np.flatnonzero(mask):
            seen |= packed[:, w] & mask[w]
        lost[seen == ZERO] += weight
    out[:] = lost
    return None


def lost_groups(
    planes: Words, order: Integers, offsets: Integers, patterns: int, counts: Integers
) -> object:
    """Bit by bit."""
    if patterns * (offsets.size - 1) > MOST:
        return NotImplemented
    alive = planes[:, : (patterns + 63) // 64]
    lost = np.zeros(64 * alive.shape[1], np.int64)
    for first, last in itertools.pairwise(offsets):
        own = np.bitwise_or.reduce(alive[order[first:last]], axis=0)
        lost += bits_of(~own[None])[0]
    counts += np.bincount(lost[:patterns], minlength=counts.size)
    return None


def lost_partitions(planes: Words, holders: Integers, offsets: Integers, out: Integers) -> object:
    """Bit by bit, one partition after the other."""
    if out.size * (offsets.size - 1) > MOST:
        return NotImplemented
    own = planes[:, : (out.size + 63) // 64]
    out[:] = 0
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        seen = np.bitwise_or.reduce(own[holders[first:last]], axis=0)
        out += bits_of(~seen[None])[0, : out.size]
    return None


class Lanes(np.ndarray[Any, Any]):
    """A vector, of which ``x += y`` makes another one: two names may stand for one vector."""


for _name in ("add", "sub", "and", "or", "xor"):
    setattr(Lanes, f"__i{_name}__", getattr(np.ndarray, f"__{_name}__"))


def _flat(array: Any) -> Any:
    return array.reshape(-1)


def _gather_rows(rows: Any, i: int, picks: Any, j: int, count: int, more: int, across: int) -> Any:
    begin, places = _flat(rows)[i : i + count].tolist(), _flat(picks)[j:].tolist()
    own = (begin[v] + 8 * places[v + c * across] for c in range(more) for v in range(count))
    return np.array([ctypes.c_double.from_address(each).value for each in own]).view(Lanes)


def _added(vectors: Any) -> Any:
    while half := vectors.shape[-1] // 2:
        vectors = vectors[..., :half] + vectors[..., half:]
    return vectors[..., 0][()]


#: The functions of `_vectors`, which do what LLVM's instructions do, lane by lane in their order.
VECTORS: dict[str, Any] = {
    "added": _added,
    "bits": lambda truths: np.uint64(sum(1 << v for v in np.flatnonzero(truths).tolist())),
    "entry": lambda array, place: _flat(array)[place],
    "gather": lambda array, place, picks, at, step, count: _flat(array)[
        place + _flat(picks)[at : at + count].astype(np.int64) * step
    ].view(Lanes),
    "gather_rows": _gather_rows,
    "if_wide": lambda wide, narrow: narrow,
    "keep": id,
    "lane": getitem,
    "load": lambda array, place, count: _flat(array)[place : place + count].copy().view(Lanes),
    "numbers": lambda count: np.arange(count).view(Lanes),
    "pointer": _flat,
    "repeat": lambda vector, times: np.tile(vector, times).view(Lanes),
    "root": np.sqrt,
    "scatter": lambda array, picks, vector: _flat(array).put(picks[: vector.size], vector),
    "spread": lambda value, count: np.full(count, value).view(Lanes),
    "store": lambda array, place, x: setitem(_flat(array), slice(place, place + np.size(x)), x),
    "sums": lambda *vectors: _added(np.array(vectors)).view(Lanes),
    "where": lambda truths, one, other: np.where(truths, one, other).view(Lanes),
    "with_lane": lambda v, i, value: np.where(np.arange(v.size) == i, value, v).view(Lanes),
}


def _dot(a: Any, b: Any, start: int) -> Any:
    terms = a[..., start:] * b[..., start:]
    size, lanes = terms.shape[-1], np.zeros((*terms.shape[:-1], 8))
    for i in range(0, size & -8, 8):
        lanes += terms[..., i : i + 8]
    for i in range(size & -8, size):
        lanes[..., 0] += terms[..., i]
    return _added(lanes)


def _reflect_others(columns: Floats, step: int, beta: float, norms: Floats) -> None:
    v, rest = columns[step], columns[step + 1 :]
    rest[:, step:] -= (beta * _dot(rest, v, step))[:, np.newaxis] * v[step:]
    norms[step + 1 : len(columns)] = _dot(rest, rest, step + 1)


#: Small kernels that others call often, in a form that takes a tenth of the time.
QUICK = {"decode.orthogonal.dot": _dot, "decode.orthogonal._reflect_others": _reflect_others}
