"""A study of a few lines for every member of every group that fastgc comes with."""

import tomllib
from importlib import resources

from fastgc.registry import GROUPS

#: Systems that are not tried with a port.
_WITHOUT_PORT = ("batches", "block", "clones", "hierarchical", "ring-all-reduce")
#: Recorded times: ten iterations of thirty workers.
TIMES = "\n".join(
    [
        ",".join(f"w{j}" for j in range(30)),
        *(",".join(f"{1 + (7 * i + 3 * j * j) % 11 / 4}" for j in range(30)) for i in range(10)),
    ]
)


def examples() -> dict[str, str]:
    """Return the text of a study of each member, by its group and name."""
    file = resources.files("fastgc.study").joinpath("examples.toml")
    groups = tomllib.loads(file.read_text(encoding="utf-8"))
    texts = {
        f"{group} {name}": (
            f'{group} = {{ {GROUPS[group].key} = "{name}", {keys} }}\n{table["beside"]}'
        )
        for group, table in groups.items()
        for name, keys in table["keys"].items()
    }
    tossed = 'code = { family = "bernoulli", n = 30, density = 0.2, seed = "trial" }'
    texts["code tossed"] = f"{tossed}\n{groups['code']['beside']}"
    for name in groups["system"]["keys"]:
        if name not in _WITHOUT_PORT:
            texts[f"{name} port"] = f"{texts[f'system {name}']}\nport = {{ receive = 0.1 }}"
    recorded = f'[files]\n"times.csv" = """\n{TIMES}"""\n'
    return {
        name: f"[[experiment]]\n{text}\n{recorded if 'times.csv' in text else ''}"
        for name, text in texts.items()
    }
