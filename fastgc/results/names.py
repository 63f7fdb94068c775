"""Names in files of results that every program takes as they are, without quotes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable


def identifier(words: str) -> str:
    """Return words as one name of ASCII letters, digits and underscores that begins with a letter.

    Examples
    --------
    >>> from fastgc.results.names import identifier
    >>> identifier("error P(>-1.5) monte-carlo"), identifier("stragglers.p")
    ('error_above_minus_1_5_monte_carlo', 'stragglers_p')
    >>> identifier("time quantile(1e-05) exact")
    'time_quantile_1e_minus_05_exact'
    """
    spoken = re.sub(r"P\(>(.*?)\)", r"above \1", words)
    spoken = re.sub(r"-(?=\d)", " minus ", spoken)
    name = re.sub(r"[^0-9A-Za-z]+", "_", spoken).strip("_")
    return name if name[:1].isalpha() else f"x{name}"


def group_names(experiments: Iterable[str]) -> dict[str, str]:
    """Return the name of each experiment's group: its own, but for what would have to be quoted.

    Examples
    --------
    >>> from fastgc.results.names import group_names
    >>> group_names(["agc.lemma1", "my tree", "my_tree", "star/my tree"])
    {'agc.lemma1': 'agc.lemma1', 'my tree': 'my_tree', 'my_tree': 'my_tree_', \
'star/my tree': 'star_over_my_tree'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for experiment in experiments:
        if experiment not in names:
            name = re.sub(r"[^\w.+@-]+", "_", experiment.replace("/", " over ")).strip("_.")
            names[experiment] = free(name or "experiment", taken)
            taken.add(names[experiment])
    return names


def free(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken, with underscores after it where it is."""
    while name in taken:
        name += "_"
    return name
