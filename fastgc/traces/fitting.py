"""The papers' models fitted to a recording, what contradicts them, and a study of them."""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Brief, Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError, public
from fastgc.latency import Law
from fastgc.latency.traces import read
from fastgc.registry import toml
from fastgc.registry.activity import Step, never
from fastgc.traces import dependence, law_fits, straggling
from fastgc.traces.dependence import Independence, independence_of
from fastgc.traces.law_fits import LawEstimate, UnfitError
from fastgc.traces.parameters import Parameter
from fastgc.traces.straggling import Counts, Model

#: Samples drawn of a fitted law, or recordings of a fitted model, and fitted anew.
REPLICATIONS = 199
ENOUGH = 20  # so many of them at least as far off, and the law is not in doubt
FEWEST = 20  # times
MOST_OWN_LAWS = 64  # workers, for each to get a law of its own
EACH = "each its own"
DIGITS = 6  # of a fitted number in a study; its standard error is far larger

_LAWS: dict[str, Callable[[Values], LawEstimate]] = {
    "exponential": law_fits.exponential,
    "weibull": law_fits.weibull,
    "gamma": law_fits.gamma,
    "lognormal": law_fits.lognormal,
    "pareto": law_fits.pareto,
    "uniform": law_fits.uniform,
    "bimodal": law_fits.bimodal,
}
_MODELS = {"iid": straggling.iid, "two-class": straggling.two_class, "markov": straggling.markov}


@dataclass(frozen=True, repr=False)
class Fitted(Brief):
    """A law or a model that was fitted.

    * ``name``: its ``distribution`` or ``model``; or ``"each its own"``, the best law of each
      worker's own times, and ``"iid, each its own"`` and ``"markov, each its own"``, where workers
      have a probability or a chain each.
    * ``keys``: its table in a study; of laws, each its own, all tables under ``laws``.
    * ``parameters``, ``log_likelihood``: with their intervals; of the times, in natural logarithm.
    * ``free``: number of parameters that were fitted.
    * ``distance``: of laws: the largest difference of the distribution functions of law and times.
    * ``p_value``: probability that a recording which the law or model has made lies as far from its
      own fit.
    """

    name: str
    keys: dict[str, Any]
    parameters: tuple[Parameter, ...]
    log_likelihood: float
    free: int
    distance: float | None = None
    p_value: float | None = None

    @property
    def aic(self) -> float:
        """Akaike's criterion: the least is the best, differences below 2 say little."""
        return 2 * self.free - 2 * self.log_likelihood

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        parameters = [each.as_dict() for each in self.parameters]
        return vars(self) | {"parameters": parameters, "aic": self.aic}


@dataclass(frozen=True, repr=False)
class Fit(Brief):
    """What `fit` found; ``latency`` and ``stragglers`` begin with the least AIC.

    ``name``: the recording's; ``workers``, ``rounds``, ``times``: rounds that all workers have;
    times of all rounds; ``independence``: what speaks against what laws and models take for
    granted; ``threshold``, ``least``, ``most``: who takes longer is late; the least and the
    greatest time; ``warnings``: what comes before all else, as of `Summary`; ``left_out``: laws
    that these times cannot come from, and why; ``stragglers``: empty where no worker straggles, or
    all always do; ``toml``: A study of the fitted models, which `fastgc.run` takes.
    """

    name: str
    workers: int
    rounds: int
    times: int
    threshold: float
    least: float
    most: float
    warnings: tuple[str, ...]
    latency: tuple[Fitted, ...]
    left_out: dict[str, str]
    stragglers: tuple[Fitted, ...]
    independence: tuple[Independence, ...]
    toml: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        found = {"trace" if key == "name" else key: value for key, value in vars(self).items()}
        for key in ("latency", "stragglers"):
            found[key] = [each.as_dict() for each in found[key]]
        found["independence"] = [dict(vars(each)) for each in self.independence]
        return found | {"warnings": list(self.warnings)}


@public
def fit(
    trace: str | Path | Mapping[str, Any],
    threshold: float | str | None = None,
    *,
    replications: int = REPLICATIONS,
    seed: int = 1,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] | None = None,
) -> Fit:
    """Fit the papers' models to a recording by maximum likelihood.

    * ``trace``, ``threshold`` (optional): As of `show`.
    * ``replications`` (int): Samples drawn of each law and model for the goodness of fit; 0: none.
    * ``seed`` (int): Of these samples, and of the shuffles of the tests of independence.
    * ``progress``, ``interrupted`` (callable, optional): As of `fastgc.design`.

    Returns
    -------
    Fit
        Laws and models, the best first.

    Raises
    ------
    FastgcError
        If the trace cannot be read, has fewer than 2 rounds or 20 times, or all times are the same.
    StoppedError
        If it was asked to stop.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "trace.csv")
    >>> times = 1 + np.random.default_rng(1).exponential(0.5, (200, 3))
    >>> np.savetxt(path, times, delimiter=",", header="a,b,c", comments="")
    >>> fit(path, replications=0).latency[0].name
    'exponential'
    """
    if replications < 0:
        raise FastgcError(f"replications: must be at least 0 (got {replications})")
    source, ask = read(trace, threshold), interrupted or never
    warnings = source.warnings
    if last := max(source.since):
        source = source.after(last)
        warnings += (f"fitted to the {len(source.rows)} rows after row {last}",)
    times = np.sort(source.pooled)
    if len(times) < FEWEST:
        raise FastgcError(f"trace: {source.name} has {len(times)} times; {FEWEST} at least fit")
    if times[0] == times[-1]:
        raise FastgcError(f"trace: all times of {source.name} are {times[0]:g}; none to fit")
    parts = [*_LAWS, *_MODELS, "independence"]

    def began(name: str) -> None:
        if progress is not None:
            progress(Step("parts", parts.index(name), len(parts), name))
        dependence.ask(ask)

    samples = Replications(replications, seed, ask)
    latency, left_out = [], {}
    for name, estimate in _LAWS.items():
        began(name)
        try:
            latency.append(law(name, estimate, times, samples))
        except UnfitError as problem:
            left_out[name] = str(problem)
    tested = [each.p_value for each in latency if each.p_value is not None]
    own_laws = _own_laws(source.values, ask)
    if tested and max(tested) <= dependence.ALPHA:
        untested = f'; "{EACH}" was not tested' * len(own_laws)
        said = f"no law that was tested fits these times, p of fit {max(tested):.2g} or less"
        warnings += (f'{said}{untested}; the law "empirical" takes the recording itself',)
    latency += own_laws
    straggled = source.rows > source.limit
    found: list[Fitted] = []
    slow: list[int] = []
    if straggled.any() and not straggled.all():
        counts = straggling.counted(straggled)
        for name, estimate_model in _MODELS.items():
            began(name)
            found.append(model(name, estimate_model, counts, samples))
        slow = straggling.slow_workers(counts)
        if counts.n > 1:
            for name, free, (keys, height) in (
                ("iid", counts.n, straggling.own_rates(counts)),
                ("markov", 2 * counts.n, straggling.own_chains(counts)),
            ):
                found.append(Fitted(f"{name}, {EACH}", keys, (), height, free))
    began("independence")
    independence = independence_of(source, straggled, seed, ask)
    latency.sort(key=lambda each: each.aic)
    found.sort(key=lambda each: each.aic)
    remarks = [
        *warnings,
        "Fitted by maximum likelihood; a load of 1 takes what was recorded.",
        *(f"The recording contradicts {each.of}." for each in independence if each.fails),
    ]
    return Fit(
        source.name,
        source.n,
        len(source.rows),
        len(times),
        source.limit,
        float(times[0]),
        float(times[-1]),
        warnings,
        tuple(latency),
        left_out,
        tuple(found),
        independence,
        _study(source.name, source.n, latency, found, slow, remarks),
    )


@dataclass(frozen=True)
class Replications:
    """How many samples of what was fitted are fitted anew, from which seed."""

    number: int
    seed: int
    interrupted: Callable[[], str | None] = lambda: None

    def p_value(
        self, name: str, size: int, is_as_far: Callable[[Values], bool], enough: int | None = None
    ) -> float | None:
        """Return how likely what is made of ``size`` uniform numbers is as far off as the data.

        None without replications; with ``enough`` that are as far off there are no more.
        """
        reached = drawn = 0
        while drawn < self.number and reached != enough:
            dependence.ask(self.interrupted)
            reached += is_as_far(uniforms(self.seed, f"fit {name} {drawn}", size))
            drawn += 1
        if not drawn:
            return None
        return reached / drawn if reached == enough else (1 + reached) / (1 + drawn)


def law(
    name: str, estimate: Callable[[Values], LawEstimate], times: Values, samples: Replications
) -> Fitted:
    """Fit one law, and see whether samples of it, fitted anew, are as far off.

    The distance is Kolmogorov's. Of times that were fitted it is smaller than of times that were
    not, which is why its usual p-value would be too large.
    """
    found = estimate(times)
    own = distance(found.law, times)

    def is_as_far(numbers: Values) -> bool:
        sample = np.sort(found.law.time().upper_quantile(numbers))
        try:
            return distance(estimate(sample).law, sample) >= own
        except UnfitError:  # a sample that this law does not fit is further off
            return True

    p = samples.p_value(name, len(times), is_as_far, ENOUGH)
    keys = _keys(found.law)
    return Fitted(name, keys, found.intervals(), found.log_likelihood, found.free, own, p)


def model(
    name: str, estimate: Callable[[Counts], Model], counts: Counts, samples: Replications
) -> Fitted:
    """Fit one model of stragglers, and see whether recordings of it, fitted anew, are as far off.

    Own chains of the workers are compared with it, which find what differs between workers and
    what they remember.
    """
    found, shape = estimate(counts), (counts.rounds + 1, counts.n)
    own = straggling.excess(found, counts)

    def is_as_far(numbers: Values) -> bool:
        drawn = straggling.counted(found.draw(numbers.reshape(shape)))
        return straggling.excess(estimate(drawn), drawn) >= own - 1e-9

    p = samples.p_value(name, math.prod(shape), is_as_far)
    return Fitted(name, found.keys, found.parameters(), found.log_likelihood, found.free, None, p)


def _own_laws(times: Sequence[Values], interrupted: Callable[[], str | None]) -> tuple[Fitted, ...]:
    if not 2 <= len(times) <= MOST_OWN_LAWS or min(map(len, times)) < FEWEST:
        return ()
    chosen = []
    for own in map(np.sort, times):
        dependence.ask(interrupted)
        fits: list[LawEstimate] = []
        for estimate in _LAWS.values() if own[0] < own[-1] else ():
            with contextlib.suppress(UnfitError):
                fits.append(estimate(own))
        if not fits:
            return ()
        chosen.append(min(fits, key=lambda each: each.free - each.log_likelihood))
    keys = {"laws": [_keys(each.law) for each in chosen]}
    # which law it is was chosen as well, and counts as one more parameter
    free = sum(each.free + 1 for each in chosen)
    return (Fitted(EACH, keys, (), sum(each.log_likelihood for each in chosen), free),)


def distance(law: Law, ordered: Values) -> float:
    """Return the largest difference between a law's distribution function and the times'."""
    n = len(ordered)
    levels = law.time().cdf(ordered)
    above = np.arange(1, n + 1) / n - levels
    return float(max(above.max(), (levels - np.arange(n) / n).max()))


def _keys(law: Law) -> dict[str, Any]:
    """Return a law's table, its name first and zeros of a shift left out."""
    given = law.model_dump()
    own = {"distribution": given.pop("distribution")} | given
    for part in ("fast", "slow"):
        if part in own:
            own[part] = _keys(getattr(law, part))
    return {key: value for key, value in own.items() if key != "shift" or value}


def _study(
    name: str,
    n: int,
    latency: Sequence[Fitted],
    stragglers: Sequence[Fitted],
    slow: Sequence[int],
    remarks: Sequence[str],
) -> str:
    """Write a study that runs: laws in a system of completion, each model before a code.

    Of ``latency`` the best law is taken, and those that workers have each of their own; ``slow``
    are the workers that are slow, for the two-class model.
    """
    system = {"family": "gradient-code", "n": n, "s": 1} if n > 1 else {"family": "uncoded", "n": 1}
    experiments: list[dict[str, Any]] = []
    best = next(each for each in latency if each.name != EACH)
    for each in latency:
        if each is best or each.name == EACH:
            base = {"name": f"time-{each.name}".replace(" ", "-"), "kind": "completion"}
            law_or_laws = _rounded(each.keys.get("laws", each.keys))
            experiments.append(base | {"system": system, "work": n, "latency": law_or_laws})
    code = {"family": "circulant", "n": n, "d": 2} if n > 2 else {"family": "uncoded", "n": n}
    for each in stragglers:
        keys = dict(each.keys)
        if each.name == "two-class" and slow:
            # this cluster's slow workers are known, so that p_slow need not say who may be
            del keys["p_slow"]
            keys = {"model": keys.pop("model"), "slow": list(slow)} | keys
        own = {"name": each.name.replace(",", "").replace(" ", "-"), "code": code}
        experiments.append(own | {"stragglers": _rounded(keys), "iterations": 10})
    data = {"title": f"Models fitted to {name}", "seed": 1, "stop": {"trials": 100_000}}
    text = toml.dumps(data | {"experiment": experiments})
    return "".join(f"# {each}\n" for each in remarks) + text


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
