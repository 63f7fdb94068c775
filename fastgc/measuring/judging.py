"""All that is said of a measurement: the comparisons, loss curves, and who straggled."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.latency.traces import DEFAULT_THRESHOLD, multiple_of_median
from fastgc.measuring import curves
from fastgc.measuring.comparing import DIFFERS, FEWEST, Comparison, learning, structure
from fastgc.measuring.laws import UNKNOWN, law, unknown_share
from fastgc.measuring.plans import Plan
from fastgc.results.measurements import by_parts
from fastgc.traces import straggling

_MODELS = {"two classes": straggling.two_class, "Markov": straggling.markov, "iid": straggling.iid}
#: Recordings of a fitted model that are fitted anew; times in all of them, at most.
_REPLICATIONS, _TIMES = 99, 20_000_000


def judged(plan: Plan, arrays: Mapping[str, NDArray[Any]], sizes: Sequence[int]) -> dict[str, Any]:
    """Return ``comparisons``, ``curves`` and ``straggling`` of a measurement, or of several.

    ``sizes`` are the rounds of each of those whose rounds stand in ``arrays`` one after the other.
    """
    used, measured, over = arrays["used"] != 0, arrays["measured"], arrays["over"]
    worked: Mask = np.asarray((arrays["share"] > 0).any(axis=1))
    series = (by_parts(each, sizes) for each in (arrays["own"], arrays["began"], worked))
    lacking = [len(a) * unknown_share(a[w], b[w]) for a, b, w in zip(*series, strict=True)]
    unknown = sum(lacking) / max(1, sum(sizes))
    alike = (used == (arrays["predicted_used"] != 0)).all(axis=1)
    met = np.where(np.isfinite(over), measured, np.inf)
    comparisons = [
        structure(*(each[worked] for each in (arrays["predicted"], met, alike, measured - over))),
        _with_excess(law(plan.rule, arrays["own"], plan.seed, unknown, worked), arrays),
    ]
    losses, errors = by_parts(arrays["loss"], sizes, 1), by_parts(arrays["gradient_error"], sizes)
    parts = zip(by_parts(used, sizes), losses, errors, strict=True)
    learnt = [learning(plan.scheme, plan.optimizer, *each) for each in parts]
    known = [each for each in learnt if each is not None]
    band = None
    if known:
        band = curves.expected(plan, max(sizes))
        off = [each.facts.get("largest_difference", 0.0) for each in known]
        worst = known[int(np.argmax([np.inf if each is None else each for each in off]))]
        comparisons.append(replace(worst, sentence=worst.sentence + _ends(band)))
    own = plan.rule.of_workers(arrays["own"])[worked]
    late = None if unknown > UNKNOWN else who(own, plan.seed)
    return {"comparisons": [vars(each) for each in comparisons], "curves": band, "straggling": late}


def _with_excess(found: Comparison, arrays: Mapping[str, NDArray[Any]]) -> Comparison:
    """Add what workers took beyond the times they were given, where that is not the law alone."""
    beyond = (arrays["own"] - arrays["injected"])[np.isfinite(arrays["own"])]
    is_off = found.verdict == DIFFERS or "beyond" in found.facts
    if not is_off or not np.isfinite(beyond).any():
        return found
    median, high = np.nanquantile(beyond, [0.5, 0.9])
    said = (
        f"{found.sentence}; of the own seconds {1e3 * median:.2g} ms in the median and "
        f"{1e3 * high:.2g} ms in one of ten are beyond the injected ones, which is the work and "
        "the machine"
    )
    return replace(found, sentence=said)


def _ends(band: Mapping[str, Any] | None) -> str:
    """Say between which losses simulated runs end that know the study's law alone."""
    if band is None or band["low"][-1] is None or band["high"][-1] is None:
        return ""
    low, high = (f"{band[end][-1]:.4g}" for end in ("low", "high"))
    many = f"{100 * band['band']:.0f} % of {band['runs']} simulated runs"
    return "" if low == high else f"; by the law alone {many} end between {low} and {high}"


def who(own: Values, seed: int) -> dict[str, Any] | None:
    """Return in which share of rounds each worker straggled, and which models that fits.

    Of the rounds (rounds, n) that all have finished; None where they are too few. Who takes longer
    than 1.5 times the median straggles, as for `fastgc trace fit`.
    """
    rows = own[np.isfinite(own).all(axis=1)]
    if len(rows) < FEWEST:
        return None
    threshold = multiple_of_median(DEFAULT_THRESHOLD, rows.ravel())
    late = rows > threshold
    found = []
    for name, fit in _MODELS.items() if late.any() and not late.all() else ():
        many = min(_REPLICATIONS, _TIMES // late.size)
        model, p = straggling.p_value(fit, late, seed, many)
        aic = 2 * model.free - 2 * model.log_likelihood
        found.append({"name": name, "keys": model.keys, "aic": aic, "p_value": p if many else None})
    return {
        "threshold": threshold,
        "shares": late.mean(axis=0).tolist(),
        "models": sorted(found, key=lambda each: each["aic"]),
    }
