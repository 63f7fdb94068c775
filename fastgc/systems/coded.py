"""Codes in a star: gradient codes, of blocks too, MDS codes, and work done several times over."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

import numpy as np
import pydantic

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.latency.law import NotNegative
from fastgc.latency.libm import exp
from fastgc.latency.time import Time
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.number_types import AtMostN, BelowN, limited
from fastgc.systems.rules import rounded
from fastgc.systems.system import (
    Candidates,
    Cluster,
    Many,
    ManyOrNone,
    PatientSystem,
    SizedSystem,
    Workers,
)
from fastgc.systems.timing.group_structures import Layers, Replicated
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.stars import Flat, Patient


@register("system")
class GradientCode(PatientSystem):
    """A gradient code on n workers (Tandon et al., ICML 2017; GC of paper `codedreduce`).

    Each has (s + 1)/n of the work; any n − s answers hold the exact gradient.

    * ``n`` (int): Workers, 1 ≤ n ≤ 1 000 000.
    * ``s`` (int): Stragglers that exact decoding survives, 0 ≤ s < n.

    >>> gradient_code(n=4, s=1).share(), gradient_code(n=4, s=1).structure()
    (0.5, Flat(n=4, need=3))
    """

    family: Literal["gradient-code"] = "gradient-code"
    n: Many
    s: Annotated[ManyOrNone, BelowN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        n = cluster.workers
        return cls.offered({"n": n, "s": s} for s in range(n))

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.n - self.s))

    def default_share(self) -> float:
        return (self.s + 1) / self.n


gradient_code = maker(GradientCode)


@register("system")
class KOfN(PatientSystem):
    """An (n, k) MDS code on a linear computation (Lee et al. 1512.02673).

    Each of n workers has a k-th of the work, coded so that any k answers are enough.

    * ``n`` (int): Workers, 1 ≤ n ≤ 1 000 000.
    * ``k`` (int): Answers that are enough, 1 ≤ k ≤ n.

    >>> k_of_n(n=5, k=4).share()
    0.25
    """

    LINEAR: ClassVar[bool] = True

    family: Literal["k-of-n"] = "k-of-n"
    n: Many
    k: Annotated[Many, AtMostN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        n = cluster.workers
        return cls.offered({"n": n, "k": k} for k in range(1, n + 1))

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.k))

    def default_share(self) -> float:
        return 1 / self.k


k_of_n = maker(KOfN)


@register("system")
class Replication(PatientSystem):
    """Work that is done d times over: groups of d workers have d/n of it each.

    Workers g·d … g·d + d − 1 are group g; of each group that is waited for, one answer is enough.

    * ``d`` (int): Workers in a group; divides n.
    * ``groups`` (int, optional): Groups of which an answer must have come; all n/d if left out.

    Raises FastgcError if d does not divide n, groups > n/d, or the load is not positive.

    >>> replication(n=6, d=2).structure()
    Replicated(n=6, size=2, need=3)
    """

    family: Literal["replication"] = "replication"
    d: Annotated[Workers, limited(lambda d, n: n % d == 0, "must divide n")]
    groups: Workers | None = None

    @pydantic.field_validator("groups")
    @classmethod
    def _not_too_many(cls, groups: int | None, info: pydantic.ValidationInfo) -> int | None:
        n, d = info.data.get("n"), info.data.get("d")
        if groups is not None and n is not None and d is not None and groups > n // d:
            raise ValueError(
                f"must be at most n/d (got groups={groups}; n={n} and d={d} make {n // d} groups)"
            )
        return groups

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        n = cluster.workers
        return cls.offered({"n": n, "d": d} for d in range(1, n + 1) if n % d == 0)

    def structure(self) -> Replicated | Patient:
        groups = self.n // self.d
        need = groups if self.groups is None else self.groups
        return self.waiting(Replicated(self.n, self.d, need))

    def default_share(self) -> float:
        return self.d / self.n


replication = maker(Replication)


Rule = Literal["1/mean", "mean of 1/x", "optimal"]
Shares = tuple[NotNegative, ...]
#: Trials that "optimal" is found on, at most and at least, and the times in them, about.
_TRIALS, _FEWEST, _NUMBERS = 1 << 13, 1 << 10, 1 << 17
#: Steps towards it, and the length of the first.
_STEPS, _LENGTH = 1500, 0.5
#: Workers whose shares a rule finds.
_MOST = 100


@register("system")
class Block(SizedSystem):
    """A block-coordinate gradient code: block i of the gradient survives i stragglers.

    A share x_i of the gradient's coordinates is coded so that any n − i answers hold it, and takes
    i + 1 of n partitions from every worker. A worker does its blocks in order, i = 0 first, and
    sends each as it is finished; a block is done with n − i answers (Cui, Wang et al.,
    block-coordinate gradient coding; their code CuiYing123456/Block_Gradient_Coding). So it is
    done at the largest of c_i X_(n−i), where c_i is the sum of (l + 1) x_l up to i, and X the time
    that a worker takes for one partition: all coordinates of a partition must take equally long,
    which no backward pass does that cannot be split by coordinates. One block s is
    `gradient_code` with s stragglers.

    * ``load`` (float, optional): Share of the work that a partition is, instead of an n-th.
    * ``blocks`` ({"1/mean", "mean of 1/x", "optimal"} or sequence of float): The shares x_0 …
      x_(n−1), scaled to add up to 1; or a rule, for at most 100 workers with one law. ``1/mean``:
      c_i in proportion to 1/E X_(n−i). ``mean of 1/x``: to E[1/X_(n−i)], for times that have a
      positive minimum. ``optimal``: with the least mean time, found on 8192 trials: good to about
      .1 %, and no more than that.
    * ``coordinates`` (int, optional): Coordinates of the gradient: shares are rounded to whole
      ones, by largest remainders.

    Raises FastgcError if there are not n shares, or they are all 0.

    >>> block(n=4, blocks=(0, 3, 0, 1)).structure()
    Layers(n=4, k=(3, 1), fresh=False, ends=(1.5, 2.5))
    >>> block(n=4, blocks=(0, 3, 0, 1)).burden()
    0.625
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("coordinates",)

    family: Literal["block"] = "block"
    blocks: Rule | Shares
    coordinates: Annotated[int | None, pydantic.Field(ge=1)] = None

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        if isinstance(self.blocks, str):
            if self.n > _MOST:
                raise ValueError(f"blocks: a rule needs n ≤ {_MOST} (got n={self.n}); list them")
            return self
        if len(self.blocks) != self.n:
            raise ValueError(f"blocks must have n={self.n} numbers (got {len(self.blocks)})")
        if not max(self.blocks) > 0:
            raise ValueError("blocks must be more than 0 for some block")
        return self

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        if cluster.workers > _MOST:
            raise FastgcError(f"block looks for shares of at most {_MOST} workers")
        keys = {"n": cluster.workers, "coordinates": cluster.coordinates}
        systems = {rule: cls.model_validate(keys | {"blocks": rule}) for rule in get_args(Rule)}
        return [Candidates((system,), rule) for rule, system in systems.items()]

    def shares_of_blocks(self) -> Values:
        """Return x_0 … x_(n−1), which add up to 1."""
        if isinstance(self.blocks, str):
            raise FastgcError(
                f'blocks: "{self.blocks}" depends on the law of times, which a study has: run one, '
                "or list the shares (in Python it must be settled by for_time(law of a worker's "
                "time))"
            )
        given = np.array(self.blocks)
        if self.coordinates is not None:
            given = np.array(_whole(given, self.coordinates))
        return np.asarray(given / given.sum())

    def structure(self) -> Layers:
        shares = self.shares_of_blocks()
        used = np.flatnonzero(shares)
        needs = tuple(int(self.n - i) for i in used)
        return Layers(self.n, needs, ends=tuple(_ends(shares)[used].tolist()))

    def burden(self) -> float:
        return float(_ends(self.shares_of_blocks())[-1]) * self.share()

    def facts(self) -> dict[str, Any]:
        shares = self.shares_of_blocks()
        return super().facts() | {
            "tolerance": int(np.flatnonzero(shares)[0]),
            "shares": " ".join(f"{share:.4g}" for share in shares.tolist()),
        }

    def settling_rule(self) -> str | None:
        return self.blocks if isinstance(self.blocks, str) else None

    def for_time(self, time: Time | None) -> Self:
        if not isinstance(self.blocks, str):
            return self
        if time is None:
            raise FastgcError(
                f'blocks: "{self.blocks}" needs one law of latency for all workers; list the shares'
            )
        orders = [distribution(Flat(self.n, self.n - i), [time]) for i in range(self.n)]
        if self.blocks == "mean of 1/x":
            ends = np.array([law.mean_of_inverse() for law in orders])
        else:
            means = np.array([law.mean() for law in orders])
            if not np.isfinite(means).all():
                raise FastgcError(
                    f'blocks: "{self.blocks}" compares means, and some are infinite; list shares'
                )
            ends = 1.0 / means
        shares = np.diff(ends, prepend=0.0) / np.arange(1, self.n + 1)
        shares /= shares.sum()
        if self.blocks == "optimal":
            shares = _descended(shares, time)
        blocks = tuple(shares.tolist())
        if self.coordinates is not None:
            blocks = _whole(shares, self.coordinates)
        return self.model_copy(update={"blocks": blocks})


def _whole(shares: Values, coordinates: int) -> tuple[int, ...]:
    return rounded(coordinates / shares.sum() * shares, coordinates, coordinates)


def _ends(shares: Values) -> Values:
    """Return c_i, the sum of (l + 1) x_l for l ≤ i."""
    return np.cumsum(np.arange(1.0, shares.size + 1.0) * shares)


def _descended(shares: Values, time: Time) -> Values:
    """Return the best shares found by exponentiated gradient steps from these.

    The mean over trials of max c_i X_(n−i) is convex in the shares; its subgradient in x_l is
    (l + 1) times the mean of X_(n−i) where the largest i is at least l.
    """
    n = shares.size
    drawn = uniforms(0, "shares of blocks", n * max(_FEWEST, min(_TRIALS, _NUMBERS // n)))
    trials = np.sort(time.times(drawn).reshape(n, -1), axis=0)[::-1]
    best, least = shares, np.inf
    weights = np.arange(1.0, n + 1.0)
    shares = np.maximum(shares, 1e-6)
    for step in range(_STEPS):
        shares = shares / shares.sum()
        each = _ends(shares)[:, np.newaxis] * trials
        last = each.argmax(axis=0)
        mean = float(np.take_along_axis(each, last[np.newaxis], 0).sum()) / last.size
        if mean < least:
            best, least = shares, mean
        taken = np.take_along_axis(trials, last[np.newaxis], 0)[0]
        of_last = np.bincount(last, taken, n) / last.size
        slope = weights * np.cumsum(of_last[::-1])[::-1]
        shares = shares * exp(-_LENGTH / np.sqrt(1.0 + step) * (slope / least - 1.0))
    return best


block = maker(Block)
