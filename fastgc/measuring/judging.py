"""All that is said of a measurement: the three comparisons."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask
from fastgc.measuring.comparing import DIFFERS, Comparison, learning, structure
from fastgc.measuring.laws import law, unknown_share
from fastgc.measuring.plans import Plan


def judged(plan: Plan, arrays: Mapping[str, NDArray[Any]]) -> list[Comparison]:
    """Return what held of the structure, of the law and, where it is known, of learning."""
    used, measured, over = arrays["used"] != 0, arrays["measured"], arrays["over"]
    worked: Mask = np.asarray((arrays["share"] > 0).any(axis=1))
    unknown = unknown_share(arrays["own"][worked], arrays["began"][worked])
    alike = (used == (arrays["predicted_used"] != 0)).all(axis=1)
    met = np.where(np.isfinite(over), measured, np.inf)
    of_law = law(plan.rule, arrays["own"], plan.seed, unknown, worked)
    beyond = (arrays["own"] - arrays["injected"])[np.isfinite(arrays["own"])]
    # what workers took beyond the times they were given, where that is not the law alone
    is_off = of_law.verdict == DIFFERS or "beyond" in of_law.facts
    if is_off and np.isfinite(beyond).any():
        median, high = np.nanquantile(beyond, [0.5, 0.9])
        said = (
            f"{of_law.sentence}; of the own seconds {1e3 * median:.2g} ms in the median and "
            f"{1e3 * high:.2g} ms in one of ten are beyond the injected ones, which is the work "
            "and the machine"
        )
        of_law = replace(of_law, sentence=said)
    learnt = learning(plan.scheme, plan.optimizer, used, arrays["loss"], arrays["gradient_error"])
    return [
        structure(*(each[worked] for each in (arrays["predicted"], met, alike, measured - over))),
        of_law,
        *([] if learnt is None else [learnt]),
    ]
