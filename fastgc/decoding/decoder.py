"""Decoding of many patterns of one code.

The algorithm that computes many errors is picked by the code's structure; see `Decoder`.
"""

import math
import threading
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc import registry
from fastgc.codes.code import Code
from fastgc.codes.matrix import code_given
from fastgc.codes.per_trial import CodeOfTrials
from fastgc.codes.structure import CycleGaps, General, Groups, Structure
from fastgc.decoding import doubt
from fastgc.decoding.algorithms import (
    Algorithm,
    CompleteClasses,
    Errors,
    GramSchmidt,
    LeastSquares,
    Lookup,
    OneStep,
    Orthogonal,
    Packed,
    RealForm,
    accuracy,
    by_structure,
    mean_column_sum,
    real_form,
)
from fastgc.decoding.factorization import EPSILON, LARGEST_COMPILED, Decomposition, scale_columns
from fastgc.decoding.rule import DECODERS, DecodingRule, RuleAlgorithm, by_name
from fastgc.decoding.sparse import Sparse, is_sparse
from fastgc.draws.patterns import Patterns
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.given import made, plain
from fastgc.registry.number_types import LARGEST
from fastgc_kernels.decode import tossed_codes

MOST_WORKERS = 24
"""Most workers of a code for `Decoder.errors_of_all_patterns`."""

_MOST_LOOKED_UP = 16  # 2¹⁶ errors stay in the cache
# With more workers, all errors are computed once as many have been, twice as many where each
# pattern is decoded on its own: it takes no longer.
_MOST_LOOKED_UP_LATER = 20
_TABLES: WeakValueDictionary[bytes, Errors] = WeakValueDictionary()  # by the matrix
_BYTES_OF_TABLES = 1 << 25
_FILLING = threading.Lock()
# Beyond it rounding of B⁺ shows in its squares: errors of 3e-11·k were measured at it, 2e-10·k
# at 1e7.
_LARGEST_SQUARED = 1e6
# Share of k that an error is at least before rounding is asked what it may be, and that no error
# counted as exact exceeds: where rounding may be more, all errors are in doubt.
_USUALLY_EXACT, _MOST_EXACT = 1e-6, 1e-4


def rule_of(decoder: str | DecodingRule | Mapping[str, Any]) -> str | DecodingRule:
    """Return the decoder of a name or of a study's table; what there is not stays as it is."""
    known = registry.members("decoder")
    if isinstance(decoder, Mapping):
        decoder = plain({"decoder": decoder})[0]["decoder"]
    try:
        table = by_name(decoder)
    except ValueError as problem:
        raise FastgcError(str(problem), "decoder") from None
    if isinstance(table, Mapping) and table.get("method") in known:
        return made(known[table["method"]], "decoder", **table)  # type: ignore[return-value]
    return table  # type: ignore[no-any-return]


def check_decoder(code: Code, decoder: str | DecodingRule, rho: float | None) -> None:
    """Raise a `FastgcError` where a decoder does not fit a code."""
    if not isinstance(decoder, DecodingRule) and decoder not in DECODERS:
        allowed = ", ".join(f'"{name}"' for name in (*DECODERS, *registry.members("decoder")))
        raise FastgcError(f"must be one of {allowed} (got {decoder!r})", "decoder")
    if decoder != "optimal" and code.obstacle is not None:
        raise FastgcError(f'must be "optimal", for {code.obstacle}', "decoder")
    if rho is not None and decoder not in ("one-step", "fixed"):
        named = decoder.settings() if isinstance(decoder, DecodingRule) else decoder
        raise FastgcError(f'belongs to decoder "one-step" (got decoder {named!r})', "rho")
    if decoder == "fixed" and rho is None:
        raise FastgcError(
            f'missing; decoder "fixed" takes 1/(d (1 − p)) in a study whose stragglers have a '
            "known mean probability p < 1, where d is the mean replication, here "
            f"{math.fsum(code.columns.values.tolist()) / code.k:.4g}; else give rho",
            "rho",
        )
    if rho is not None and not np.isfinite(rho):
        raise FastgcError(f"must be finite (got {rho})", "rho")
    if decoder == "one-step" and rho is None and mean_column_sum(code) <= 0:
        raise FastgcError(
            'missing; decoder "one-step" takes it from the sum of a worker\'s weights, which is '
            f"not positive on average (got {mean_column_sum(code):.6g} for {code.name})",
            "rho",
        )
    if decoder == "class" and code.classes is None:
        raise FastgcError(
            f'"class" needs a code whose classes are known, such as binary or frc '
            f"(got {code.name})",
            "decoder",
        )


def lost(error: float, root: float) -> float:
    """Return by how much rounding may change an error, or a mean of them, of roots ``root``."""
    return 1e-12 * error + (2.0 * math.sqrt(error) + root) * root


class Decoder:
    """Computes decoding errors and vectors of many patterns of one code.

    * ``code`` (Code or array_like (k, n)): a code or any encoding matrix, partitions × workers.
    * ``use_lookup``: compute the errors of all patterns of small codes once, and look them up: up
      to 16 workers at once, up to 20 after 2ⁿ patterns if B's columns are independent.
    * ``decoder``, ``rho``: as for `decode`.

    * ``algorithm``: what computes errors: "groups", "cycle-gaps", "intervals", "components",
      "lookup", "least-squares", "gram-schmidt", "orthogonal", "sparse", "one-step", "class" or, for
      a rule of one's own, "own".
    * ``exact_threshold``: largest error that counts as exact recovery: 0 for 0/1 structures, whose
      algorithms return exact zeros, else max(1e-9, 1e3·eps·cond(B⁺))·k, or what rounding does to
      errors, 4·eps·cond(B⁺)·k from 1e-6·k to 1e-4·k, where that is less; 1e-9·k for a rule of
      one's own, and for sparse codes of over 1000 workers, whose errors are accurate to 1e-10·k.
    * ``is_coarse``: whether it is not known what rounding leaves of an error of 0 but for that.
    * ``is_optimal``: whether errors are those of optimal decoding.
    * ``linear_algebra``: where the matrices derived from B come from: "compiled", with equal bits
      everywhere, or "LAPACK", with equal bits for equal builds.

    Raises FastgcError if B is no matrix of finite numbers, or the decoder does not fit it.
    """

    def __init__(
        self,
        code: Code | ArrayLike,
        use_lookup: bool = True,
        decoder: str | DecodingRule = "optimal",
        rho: float | None = None,
    ) -> None:
        self._code = code_given(code, "B")
        decoder = rule_of(decoder)
        check_decoder(self._code, decoder, rho)
        decoder = "one-step" if decoder == "fixed" else decoder  # with a ρ that is given
        self.is_optimal = decoder == "optimal"
        structure = self._code.structure
        self._by_rank = self.is_optimal and isinstance(structure, General)
        own: Algorithm = self._pick(structure, decoder, rho)
        self._algorithm = own
        k, n = self._code.k, self._code.n
        largest = (2 if self._code.is_complex else 1) * max(k, n)
        self.linear_algebra = "compiled" if largest <= LARGEST_COMPILED else "LAPACK"
        if isinstance(own, Sparse):
            self.linear_algebra = own.linear_algebra
        self.exact_threshold = 0.0
        self.is_coarse = isinstance(decoder, DecodingRule) or isinstance(own, Sparse)
        if isinstance(decoder, DecodingRule):
            self.exact_threshold = 1e-9 * k
        elif self._by_rank or decoder == "one-step":
            is_huge = largest > LARGEST or (self._sparse is not None and self._sparse.is_large)
            if is_huge:  # no decomposition of so large a matrix
                self.is_coarse, self.exact_threshold = True, 1e-9 * k
            else:
                rounding = min(max(accuracy(self.condition), _USUALLY_EXACT), _MOST_EXACT)
                self.exact_threshold = max(1e-9, min(1e3 * EPSILON * self.condition, rounding)) * k
        self._all_errors: Errors | None = None
        quick = isinstance(structure, Groups | CycleGaps) if self.is_optimal else decoder == "class"
        if use_lookup and n <= _MOST_LOOKED_UP and not quick:
            self._all_errors = self._every_error()
            self._algorithm = Lookup(self._all_errors, own)
        self._until_lookup = math.inf
        if use_lookup and self._by_rank and _MOST_LOOKED_UP < n <= _MOST_LOOKED_UP_LATER:
            at_once = isinstance(own, LeastSquares) and own.is_enumerated_at_once
            self._until_lookup = 2.0**n if at_once else 2.0 ** (n + 1)

    @property
    def most(self) -> float:
        """What no error exceeds under optimal decoding: that of no answer."""
        return float(self._code.k) if self.is_optimal else math.inf

    @property
    def algorithm(self) -> str:
        """Name of the algorithm that computes errors."""
        return self._algorithm.name

    def _pick(
        self, structure: Structure, decoder: str | DecodingRule, rho: float | None
    ) -> Algorithm:
        code = self._code
        if isinstance(decoder, DecodingRule):
            return RuleAlgorithm(code.B, decoder)
        if decoder == "one-step":
            return OneStep(code, rho)
        if decoder == "class":
            assert code.classes is not None
            return CompleteClasses(code.classes, code.n, code.k)
        known = by_structure(code, structure)
        if known is not None:
            return known
        if code.obstacle is not None:
            return RealForm(code, self._general)
        return self._general(code.B) if self._sparse is None else self._sparse

    def _general(self, B: NDArray[np.float64]) -> Algorithm:
        if self.condition > doubt.LARGEST_CONDITION:
            return Orthogonal(B)
        tier = LeastSquares if self.condition <= _LARGEST_SQUARED else GramSchmidt
        return tier(B, self.decomposition)

    @cached_property
    def _sparse(self) -> Sparse | None:
        found = Sparse(self._code) if is_sparse(self._code) else None
        return found if found is not None and found.is_usable else None

    @cached_property
    def decomposition(self) -> Decomposition:
        """Decomposition of B with its columns scaled."""
        return Decomposition.of(scale_columns(real_form(self._code.B))[0])

    @cached_property
    def condition(self) -> float:
        """Largest over smallest non-zero singular value of B with its columns scaled."""
        return self.decomposition.condition

    @cached_property
    def zero_threshold(self) -> float:
        """Largest error that rounding may leave of 0: a larger one is not 0.

        It may count as exact all the same, see ``exact_threshold``.
        """
        # v ≤ (2√v + δ) δ, where the root is wrong by δ
        most = math.inf if self.is_coarse else (3.0 + math.sqrt(8.0)) * self.root_lost**2
        return min(self.exact_threshold, most)

    def lost(self, error: float) -> float:
        """Return by how much rounding may have changed an error, at most."""
        return lost(error, self.root_lost)

    @property
    def root_lost(self) -> float:
        """What rounding changes the root of an error by, at most; 0 where numbers only add up.

        It is 12 times as much as was measured in fractions and at 80 digits, see `bench.accuracy`.
        """
        if self.exact_threshold == 0:
            return 0.0
        condition = self.condition
        if self._by_rank and max(self._code.B.shape) <= LARGEST_COMPILED:
            condition = max(condition, doubt.largest_condition(real_form(self._code.B)))
        return 64.0 * EPSILON * condition * math.sqrt(self._code.k)

    @cached_property
    def doubt(self) -> str | None:
        """Why no interval is to be put on errors; None where their ranks are clear."""
        if not self._by_rank:
            return None
        if self._sparse is not None:
            return doubt.SAID if self._sparse.is_nearly_dependent else None
        unclear = accuracy(self.condition) > _MOST_EXACT
        unclear = unclear or doubt.has_doubt(real_form(self._code.B))
        return doubt.SAID if unclear else None

    def vectors(self, packed: Packed) -> NDArray[Any]:
        """Return the decoding vectors of packed patterns: the shortest where several are optimal.

        ``packed``, uint64 array (T, words): as for `errors`.

        Returns a float64 or complex128 array (T, n): one weight a worker, 0 for stragglers.
        """
        return self._algorithm.vectors(np.ascontiguousarray(packed, np.uint64))

    def errors(self, packed: Packed) -> Errors:
        """Return the errors of packed patterns.

        ``packed``, uint64 array (T, words): bit j % 64 of word j // 64 is set if worker j survived;
        unused bits are 0.

        Returns a float64 array (T,).
        """
        packed = np.ascontiguousarray(packed, np.uint64)
        self._until_lookup -= len(packed)
        if self._until_lookup < 0:
            self._until_lookup = math.inf
            key = repr(self._code.B.shape).encode() + self._code.B.tobytes()
            with _FILLING:
                found = _TABLES.get(key)  # codes of equal matrices share one array
                if found is None and sum(e.nbytes for e in _TABLES.values()) < _BYTES_OF_TABLES:
                    found = _TABLES[key] = self._every_error()
            self._all_errors = found
        if self._all_errors is not None:
            return Lookup(self._all_errors, self._algorithm).errors_of(packed)
        return self._algorithm.errors_of(packed)

    @property
    def tiers(self) -> tuple[str, ...]:
        """Names of the algorithms that patterns may take, the fastest first."""
        return self._algorithm.tiers

    def errors_of_all_patterns(self) -> Errors:
        """Return the errors of all 2ⁿ patterns, in the order of their bits read as a number.

        Raises FastgcError if n is larger than 24.
        """
        if self._code.n > MOST_WORKERS:
            raise FastgcError(
                f"code: the errors of all 2ⁿ patterns are computed for n ≤ {MOST_WORKERS} "
                f"(got n={self._code.n})"
            )
        return self._every_error() if self._all_errors is None else self._all_errors

    def _every_error(self) -> Errors:
        out = self._algorithm.every_error(self._code.n)
        out.flags.writeable = False
        return out


class TrialDecoder:
    """Computes errors of patterns of a code whose matrix is drawn anew in every trial."""

    algorithm = "tossed"
    linear_algebra = "compiled"

    def __init__(self, code: CodeOfTrials, decoder: str, rho: float | None) -> None:
        self._code = code
        self._decoder = decoder
        self._rho = np.nan if rho is None else rho
        self.exact_threshold = 1e-9 * code.k
        self.most = float(code.k) if decoder == "optimal" else math.inf

    def errors_of(self, patterns: Patterns) -> NDArray[np.float64]:
        """Return the errors of a batch's patterns, iteration-major."""
        packed, batch, code = patterns.packed, patterns.batch, self._code
        out, held = np.empty(len(packed)), np.empty((code.n, code.k), np.uint8)
        drawn = np.uint64(batch.first), batch.trials, batch.key("data"), out
        if self._decoder == "one-step":
            tossed_codes.one_step_errors(packed, held, code.last, self._rho, *drawn)
        else:
            tossed_codes.errors(packed, held, code.last, *drawn)
        return out
