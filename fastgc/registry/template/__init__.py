"""Writing a small package with models of one's own: entry points, model files, tests, a study."""

import keyword
import re
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from fastgc.errors import FastgcError
from fastgc.registry.complaints import alternatives, nearest
from fastgc.registry.plugins import CLAIMS
from fastgc.registry.rooms import members

_FILES = files(__name__) / "files"
#: Names that a package must not have: a test run would import it instead.
_TAKEN = frozenset({"fastgc", "fastgc_kernels", "tests", "numpy", "pydantic", "pytest"})


class Kind(NamedTuple):
    """A kind of model: its entry point's group, its class or claim, and how studies name it."""

    group: str
    name: str
    use: str


KINDS = {
    "code": Kind("fastgc.code", "Strided", 'code = { family = "$name", n = 8, d = 2 }'),
    "stragglers": Kind(
        "fastgc.stragglers", "Racks", 'stragglers = { model = "$name", size = 4, p = 0.1 }'
    ),
    "latency": Kind("fastgc.latency", "Frechet", 'latency = { distribution = "$name", shape = 5 }'),
    "system": Kind("fastgc.system", "TwoSites", 'system = { family = "$name", n = 8 }'),
    "decoder": Kind("fastgc.decoder", "Ridge", 'decoder = "$name"'),
    "measure": Kind("fastgc.measure", "LargestWeight", 'measure = ["error", "$module"]'),
    "claim": Kind(CLAIMS, "uncoded", "`fastgc validate $name`"),
}


def package(name: str, kinds: Sequence[str] = ("stragglers",), folder: Path | None = None) -> Path:
    """Write a package with one model of every kind that is asked for, and return its folder.

    ``name`` is that of the package and the tag of its models: small letters, digits and hyphens.
    ``kinds`` are keys of `KINDS`, or "all". The package's folder, which must not be there yet, is
    made in ``folder``, the working directory by default.

    Examples
    --------
    >>> import tempfile
    >>> made = package("my-racks", ["stragglers"], Path(tempfile.mkdtemp()))
    >>> sorted(path.name for path in made.iterdir())
    ['README.md', 'pyproject.toml', 'src', 'study.toml', 'tests']
    """
    chosen = list(KINDS) if "all" in kinds else list(dict.fromkeys(kinds))
    for kind in chosen:
        if kind not in KINDS:
            near = nearest(kind, KINDS) or f"; there are {alternatives(KINDS)}"
            raise FastgcError(f"kind: there is no kind {kind!r}{near}")
    _check(name, chosen)
    made = (folder or Path()) / name
    module = name.replace("-", "_")
    try:
        made.mkdir(parents=True)
        for path, text in _texts(name, module, chosen).items():
            file = made / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except FileExistsError:
        raise FastgcError(f"{made}: is there already; choose another name or remove it") from None
    except OSError as problem:
        raise FastgcError(f"{made}: cannot be written ({problem.strerror})") from None
    return made


def paper(name: str, folder: Path | None = None) -> Path:
    """Write ``NAME.toml``, a paper with one claim to start from, and return it.

    Examples
    --------
    >>> import tempfile
    >>> paper("mine", Path(tempfile.mkdtemp())).name
    'mine.toml'
    """
    _check(name, [])
    file = (folder or Path()) / f"{name}.toml"
    text = Template((_FILES / "paper.toml.in").read_text(encoding="utf-8"))
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text.substitute({"name": name}))
    except FileExistsError:
        raise FastgcError(f"{file}: is there already; choose another name or remove it") from None
    except OSError as problem:
        raise FastgcError(f"{file}: cannot be written ({problem.strerror})") from None
    return file


def _check(name: str, kinds: Sequence[str]) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise FastgcError(
            f"name: must be small letters, digits and single hyphens, like my-racks (got {name!r})"
        )
    module = name.replace("-", "_")
    if module in _TAKEN or module in sys.stdlib_module_names or keyword.iskeyword(module):
        raise FastgcError(f"name: {name!r} is the name of another package; choose another one")
    for kind in kinds:
        taken = () if kind == "claim" else members(kind)
        if name in taken:
            raise FastgcError(f"name: {kind}: there is {name!r} already; choose another name")


def _texts(name: str, module: str, kinds: Sequence[str]) -> dict[str, str]:
    """Every file of the package and its text."""
    words = {"name": name, "module": module}

    def filled(template: str, **more: str) -> str:
        text = (_FILES / f"{template}.in").read_text(encoding="utf-8")
        return Template(text).substitute(words | more)

    used = {kind: Template(KINDS[kind].use).substitute(words) for kind in kinds}
    entries = "".join(
        f'[project.entry-points."{KINDS[kind].group}"]\n'
        f'{name} = "{module}.{kind}:{KINDS[kind].name}"\n\n'
        for kind in kinds
    )
    table = "\n".join(
        f"| `src/{module}/{kind}.py` | {kind} | {use if kind == 'claim' else f'`{use}`'} |"
        for kind, use in used.items()
    )
    found = {
        "pyproject.toml": filled("pyproject.toml", entries=entries),
        "README.md": filled("README.md", table=table),
        "study.toml": _study(name, used),
        f"src/{module}/__init__.py": filled("init.py"),
        f"src/{module}/py.typed": "",
    }
    for kind in kinds:
        found[f"src/{module}/{kind}.py"] = filled(f"{kind}.py")
        found[f"tests/test_{kind}.py"] = filled(f"test_{kind}.py")
    return found


def _study(name: str, used: dict[str, str]) -> str:
    """A study of all that the package has, fastgc's own where it has none."""
    decoding = {
        "code": 'code = { family = "frc", n = 8, d = 2 }',
        "stragglers": 'stragglers = { model = "iid", p = 0.1 }',
        "decoder": 'decoder = "optimal"',
        "measure": 'measure = ["error"]',
    }
    completion = {
        "system": 'system = { family = "gradient-code", n = 8, s = 1 }',
        "latency": 'latency = { distribution = "exponential", mean = 1.0 }',
    }
    lines = [f'title = "With what {name} adds"', "seed = 1", "[stop]", "trials = 100_000"]
    for kind, own in (("decoding", decoding), ("completion", completion)):
        if kind == "decoding" or any(key in used for key in own):
            lines += ["", "[[experiment]]", f'kind = "{kind}"']
            lines += [used.get(key, line) for key, line in own.items()]
    return "\n".join(lines) + "\n"
