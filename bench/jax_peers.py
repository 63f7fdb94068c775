"""What fastgc is measured against, where JAX is installed: the same in compiled arrays, in float64.

Numbers are drawn by its fastest generator. Survivors and times are as in `bench.peers` and
`bench.completion_peers`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.completion_peers import SHIFT
from bench.peers import Dual, Floats, Survivors

NAME = "JAX"
#: Of the stragglers of a pattern so many are given a place; more are left to NumPy.
SPREADS = 5.0


def available() -> bool:
    """Whether JAX is installed."""
    return importlib.util.find_spec("jax") is not None


def _jax() -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax


class _Sampler:
    """Draws by a compiled function of a key, a fresh one in every call."""

    def __init__(self, draw: Callable[[Any, int], Any]) -> None:
        jax = _jax()
        self._key = jax.random.key(20240607, impl="unsafe_rbg")
        self._split = jax.jit(jax.random.split)
        self._draw = jax.jit(draw, static_argnums=1)

    def __call__(self, trials: int) -> NDArray[Any]:
        self._key, key = self._split(self._key)
        return np.asarray(self._draw(key, trials))


def straggling(p: float, n: int) -> Callable[[Any, int], Any]:
    """Return what draws which of n workers straggle, booleans (T, n)."""
    jax = _jax()
    threshold = np.uint32(round(p * 2**32))
    return lambda key, trials: jax.random.bits(key, (trials, n), np.uint32) < threshold


def iid(p: float, n: int) -> Callable[[int], Survivors]:
    """Survivors of workers that straggle independently."""
    drawn = straggling(p, n)
    return _Sampler(lambda key, trials: ~drawn(key, trials))


def lost_groups(d: int, n: int, p: float) -> Callable[[int], Floats]:
    """Draw errors of the fractional repetition code, in the layout that suits NumPy best."""
    jax = _jax()
    threshold = np.uint32(round(p * 2**32))

    def draw(key: Any, trials: int) -> Any:
        lost = (jax.random.bits(key, (d, n // d, trials), np.uint32) < threshold).all(axis=0)
        return d * lost.sum(axis=0, dtype=np.float64)

    return _Sampler(draw)


class DualOfMany(Dual):
    """fastgc's algorithm for B with independent columns: solve for the stragglers.

    Every pattern has room for as many stragglers as nearly all have, what is left is the identity.
    """

    def __init__(self, B: Floats, most: int) -> None:
        super().__init__(B)
        jax, self.most = _jax(), min(most, B.shape[1])
        np_, solve = jax.numpy, jax.scipy.linalg.solve_triangular
        H, x, e0, eye = self._H, self._x, self._e0, np.eye(self.most)

        def one(straggles: Any) -> Any:
            place = np_.argsort(~straggles, stable=True)[: self.most]
            there = straggles[place]
            system = np_.where(there[:, None] & there[None], np_.asarray(H)[place][:, place], eye)
            factor = np_.linalg.cholesky(system)
            y = solve(factor, np_.where(there, np_.asarray(x)[place], 0.0), lower=True)
            return e0 + y @ y

        self.each = jax.vmap(one)
        self._compiled = jax.jit(self.each)

    def __call__(self, survivors: Survivors) -> Floats:
        """Errors of many patterns."""
        errors = np.array(self._compiled(~survivors))
        many = np.count_nonzero(~survivors, axis=1) > self.most
        if many.any():
            errors[many] = super().__call__(survivors[many])
        return errors

    def sampler(self, draw: Callable[[Any, int], Any]) -> Callable[[int], Floats]:
        """Return what draws patterns and decodes them; see `straggling`."""

        def drawn(key: Any, trials: int) -> Any:
            straggles = draw(key, trials)
            return self.each(straggles), straggles

        def run(trials: int) -> Floats:
            self._key, key = split(self._key)
            errors, straggles = compiled(key, trials)
            errors = np.array(errors)
            many = np.flatnonzero(np.asarray(straggles.sum(axis=1)) > self.most)
            if many.size:
                errors[many] = super(DualOfMany, self).__call__(~np.asarray(straggles)[many])
            return errors

        jax = _jax()
        self._key = jax.random.key(20240607, impl="unsafe_rbg")
        split, compiled = jax.jit(jax.random.split), jax.jit(drawn, static_argnums=1)
        return run


def subset(s: int, n: int) -> Callable[[Any, int], Any]:
    """Return what draws s stragglers of n: those with the smallest random numbers."""
    jax = _jax()

    def draw(key: Any, trials: int) -> Any:
        words = jax.random.bits(key, (trials, n), np.uint32)
        return jax.numpy.argsort(jax.numpy.argsort(words, axis=1), axis=1) < s

    return draw


def most_stragglers(p: float, n: int) -> int:
    """As many stragglers as nearly all patterns have at most."""
    return min(n, int(np.ceil(n * p + SPREADS * np.sqrt(n * p * (1.0 - p)))))


def _sorted_times(key: Any, trials: int, n: int) -> Any:
    jax = _jax()
    return jax.numpy.sort(SHIFT + jax.random.exponential(key, (trials, n), np.float64), axis=1)


def order(n: int, k: int) -> Callable[[int], Floats]:
    """The k-th smallest of n times, by sorting."""
    return _Sampler(lambda key, trials: _sorted_times(key, trials, n)[:, k - 1])


def orders(n: int, places: Sequence[int]) -> Callable[[int], Floats]:
    """Several order statistics, (T, places), by sorting."""
    at = np.array(places) - 1
    return _Sampler(lambda key, trials: _sorted_times(key, trials, n)[:, at])


def layers(n: int, k: Sequence[int]) -> Callable[[int], Floats]:
    """The last layer's completion, by sorting."""
    at, factors = np.array(k) - 1, np.arange(1.0, len(k) + 1)
    return _Sampler(
        lambda key, trials: (_sorted_times(key, trials, n)[:, at] * factors).max(axis=1)
    )


def tree(n: int, need: int, receive: float) -> Callable[[int], Floats]:
    """When the master of a tree of two layers has ``need`` of n answers, by sorting."""
    jax = _jax()
    np_ = jax.numpy

    def served(arrivals: Any) -> Any:
        done = arrivals[..., 0] + receive
        for i in range(1, need):
            done = np_.maximum(done, arrivals[..., i]) + receive
        return done

    def draw(key: Any, trials: int) -> Any:
        own, leaves = jax.random.split(key)
        times = SHIFT + jax.random.exponential(leaves, (trials, n, n), np.float64)
        inner = served(np_.sort(times, axis=2)[..., :need])
        inner = np_.maximum(inner, SHIFT + jax.random.exponential(own, (trials, n), np.float64))
        return served(np_.sort(inner, axis=1)[:, :need])

    return _Sampler(draw)
