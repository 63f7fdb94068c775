"""The papers' models fitted to a recording, what contradicts them, and a study of them."""

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.latency import Law
from fastgc.latency.source import Source, read
from fastgc.registry.activity import Step
from fastgc.results.verdicts import rejected
from fastgc.traces import dependence, fits, laws, measurements, shifted, straggling
from fastgc.traces.fits import Estimated, Fit, Fitted, Independence, UnfitError
from fastgc.traces.measurements import Recording

ALPHA = 0.01  # probability that any sort of independence is said to fail that does not


def independence_of(
    source: Source, straggled: Any, seed: int, interrupted: Callable[[], str | None]
) -> tuple[Independence, ...]:
    """Test what laws and models take for granted; ``straggled`` is bool (rounds, n).

    ``seed`` is that of the shuffles; a text that ``interrupted`` returns stops the work.
    """
    names = source.trace.workers
    series = dependence.ranks(source.rows)
    over = dependence.memory(series, 1, seed, interrupted)
    found: list[tuple[str, float | None, float, str]] = []
    first = float(over.lags[0]) if len(over.lags) else None
    factor = math.sqrt((1 + first) / (1 - first)) if first and 0 < first < 1 else 1.0
    remark = "correlation of a worker's time with its next"
    if factor > 1.05:
        remark += f"; intervals of the latency laws would have to be {factor:.2g} × as wide"
    found.append(("times independent over rounds", first, over.p_value, remark))
    if source.trace.n > 1:
        between = dependence.pairs(series, None, seed, interrupted)
        remark = "mean correlation between workers"
        if between.strongest:
            i, j, value = between.strongest[0]
            remark += f"; strongest: {names[i]} and {names[j]}, {value:.2f}"
        found.append(("times independent between workers", between.mean, between.p_value, remark))
        found.append(("times alike for all workers", *_unlike(source.rows)))
    if straggled.any() and not straggled.all():
        recording = Recording(straggled, names, seed, interrupted)
        measures = [("straggling independent over rounds", measurements.within_a_worker)]
        if source.trace.n > 1:
            measures.append(("straggling independent between workers", measurements.across_workers))
        if source.trace.n > 2:
            measures.append(("straggling at two rates", measurements.two_classes))
        for name, measure in measures:
            measured = measure(recording)
            if measured.value is not None:
                found.append((name, measured.value, measured.p_value, measured.remark))
    fallen = rejected([p for _, _, p, _ in found], ALPHA)
    return tuple(
        Independence(name, value, p, fails, remark)
        for (name, value, p, remark), fails in zip(found, fallen, strict=True)
    )


def _unlike(rows: Values) -> tuple[float, float, str]:
    """Return which share of the variance of all times' ranks lies between workers, and its p-value.

    The test is Kruskal and Wallis's.
    """
    from scipy import special

    ranked = dependence.ranks(rows.reshape(-1, 1)).reshape(rows.shape)
    total = float(((ranked - ranked.mean()) ** 2).sum())
    between = len(rows) * float(((ranked.mean(axis=0) - ranked.mean()) ** 2).sum())
    share = between / total if total else 0.0
    p = float(special.chdtrc(rows.shape[1] - 1, (rows.size - 1) * share))
    return share, p, "share of the variance of the times' ranks that lies between workers"


#: Samples drawn of a fitted law, or recordings of a fitted model, and fitted anew.
REPLICATIONS = 199
ENOUGH = 20  # so many of them at least as far off, and the law is not in doubt
FEWEST = 20  # times
MOST_OWN_LAWS = 64  # workers, for each to get laws of its own
EACH = "each its own"

_LAWS: dict[str, Callable[[Values], Estimated]] = {
    "exponential": laws.exponential,
    "weibull": shifted.weibull,
    "gamma": shifted.gamma,
    "lognormal": laws.lognormal,
    "pareto": laws.pareto,
    "uniform": laws.uniform,
    "bimodal": laws.bimodal,
}
_MODELS = {"iid": straggling.iid, "two-class": straggling.two_class, "markov": straggling.markov}


def fit(
    trace: str | Path | Mapping[str, Any],
    threshold: float | str | None = None,
    *,
    replications: int = REPLICATIONS,
    seed: int = 1,
    progress: Callable[[Step], None] = lambda _: None,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Fit:
    """Fit laws of latency and models of stragglers to a recording, by maximum likelihood.

    Laws are fitted to all times of all workers as if they were independent, models to who straggled
    when. Where independence fails, ``independence`` says so: then the intervals are too narrow, and
    a model that is independent leaves something out that matters. Where a worker changes for good,
    all is fitted to the rows after the last change.

    ``trace``, ``threshold``: as of `show`; ``replications``: samples of each fitted law, and
    recordings of each fitted model, that are fitted anew for the goodness of fit; fewer where 20
    are as far off; 0 leaves it out; ``progress``: gets a `Step` before each part; ``interrupted``:
    asked often; a text it returns stops the work.

    Raises FastgcError if the trace cannot be read, has fewer than 20 times or 2 rounds of all
    workers, or all times are equal. Raises StoppedError if it was asked to stop.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "trace.csv")
    >>> times = [1 + (7 * i % 30) / 100 + 5 * (i % 11 == 0) for i in range(60)]
    >>> rows = [f"{a},{b}" for a, b in zip(times[::2], times[1::2])]
    >>> _ = path.write_text("\\n".join(["a,b", *rows]))
    >>> found = fit(path, replications=0)
    >>> found.latency[0].name, round(found.stragglers[-1].aic)
    ('bimodal', 46)
    """
    if replications < 0:
        raise FastgcError(f"replications: must be at least 0 (got {replications})")
    source = read(trace, threshold)
    warnings = source.warnings
    if last := max(source.since):
        source = replace(source, trace=source.trace.after(last))
        warnings += (f"fitted to the {len(source.rows)} rows after row {last}",)
    times = np.sort(source.trace.pooled)
    if len(times) < FEWEST:
        raise FastgcError(f"trace: {source.name} has {len(times)} times; {FEWEST} at least fit")
    if times[0] == times[-1]:
        raise FastgcError(f"trace: all times of {source.name} are {times[0]:g}; none to fit")
    parts = [*_LAWS, *_MODELS, "independence"]

    def began(name: str) -> None:
        progress(Step("parts", parts.index(name), len(parts), name))
        dependence.ask(interrupted)

    latency, left_out = [], {}
    for name, estimate in _LAWS.items():
        began(name)
        try:
            latency.append(law(name, estimate, times, seed, replications, interrupted))
        except UnfitError as problem:
            left_out[name] = str(problem)
    own = _own_laws(source, interrupted)
    latency += [own] if own is not None else []
    straggled = source.rows > source.threshold
    found: list[Fitted] = []
    if straggled.any() and not straggled.all():
        for name, model in _MODELS.items():
            began(name)
            found.append(_model(model, straggled, seed, replications))
        found += _each_its_own(straggled)
    began("independence")
    independence = independence_of(source, straggled, seed, interrupted)
    latency.sort(key=lambda each: each.aic)
    found.sort(key=lambda each: each.aic)
    slow = straggling.slow_workers(straggling.counted(straggled)) if found else []
    remarks = [
        *warnings,
        "Fitted by maximum likelihood; a load of 1 takes what was recorded.",
        *(f"The recording contradicts {each.of}." for each in independence if each.fails),
    ]
    names = source.trace.workers
    text = fits.written(source.name, names, latency, found, slow, remarks)
    size = source.trace.n, len(source.rows), len(times)
    return Fit(
        source.name,
        *size,
        source.threshold,
        float(times[0]),
        float(times[-1]),
        warnings,
        tuple(latency),
        left_out,
        tuple(found),
        independence,
        text,
    )


def law(
    name: str,
    estimate: Callable[[Values], Estimated],
    times: Values,
    seed: int,
    replications: int,
    interrupted: Callable[[], str | None] = lambda: None,
) -> Fitted:
    """Fit one law, and see whether samples of it, fitted anew, are as far off.

    The distance is Kolmogorov's. Of times that were fitted it is smaller than of times that were
    not, which is why its usual p-value would be too large.
    """
    found = estimate(times)
    own = distance(found.law, times)
    reached = drawn = 0
    for replication in range(replications):
        if reached == ENOUGH:
            break
        dependence.ask(interrupted)
        numbers = uniforms(seed, f"fit {name} {replication}", len(times))
        sample = np.sort(found.law.time().upper_quantile(numbers))
        drawn += 1
        try:
            reached += distance(estimate(sample).law, sample) >= own
        except UnfitError:  # a sample that this law does not fit is further off
            reached += 1
    p = None if not drawn else reached / drawn if reached == ENOUGH else (1 + reached) / (1 + drawn)
    keys = _keys(found.law)
    return Fitted(name, keys, found.intervals(), found.log_likelihood, found.free, own, p)


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


def _model(
    fitted: Callable[[straggling.Counts], straggling.Model],
    straggled: Any,
    seed: int,
    replications: int,
) -> Fitted:
    model, p = straggling.p_value(fitted, straggled, seed, replications)
    known = p if replications else None
    height = model.log_likelihood
    return Fitted(model.name, model.keys, model.parameters(), height, model.free, None, known)


def _each_its_own(straggled: Any) -> list[Fitted]:
    counts = straggling.counted(straggled)
    if counts.n < 2:
        return []
    found = []
    for name, free, (keys, height) in (
        ("iid", counts.n, straggling.own_rates(counts)),
        ("markov", 2 * counts.n, straggling.own_chains(counts)),
    ):
        found.append(Fitted(f"{name}, {EACH}", keys, (), height, free))
    return found


def _own_laws(source: Source, interrupted: Callable[[], str | None]) -> Fitted | None:
    """Fit every worker's times alone, with the law that is best for it; None where it cannot be."""
    times = source.trace.values
    if not 2 <= len(times) <= MOST_OWN_LAWS or min(map(len, times)) < FEWEST:
        return None
    if any(own.min() == own.max() for own in times):
        return None
    chosen = []
    for own in times:
        dependence.ask(interrupted)
        fits = []
        for estimate in _LAWS.values():
            with contextlib.suppress(UnfitError):
                fits.append(estimate(np.sort(own)))
        if not fits:
            return None
        chosen.append(min(fits, key=lambda each: each.free - each.log_likelihood))
    height = sum(each.log_likelihood for each in chosen)
    # which law it is was chosen as well, and counts as one more parameter
    free = sum(each.free + 1 for each in chosen)
    return Fitted(EACH, {"laws": [_keys(each.law) for each in chosen]}, (), height, free)
