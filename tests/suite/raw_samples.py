"""What a sampler makes of its trials, one by one, before they are tallied."""

import numpy as np

from fastgc.runs.plan import Plan
from fastgc.study.study import Study


def raw_samples(study, trials, place=0):
    """Raw samples by name, trials first, of the first point of a study's unit at ``place``."""
    unit = Plan.of(Study.parse(study, trials=trials, method="monte-carlo")).units[place]
    whole, rest = divmod(trials, unit.block)
    blocks = unit.run(range(whole), unit.block, keep=True).samples
    blocks += unit.run([whole], rest, keep=True).samples if rest else []
    return {name: np.concatenate([own[name] for own, *_ in blocks]) for name in blocks[0][0]}
