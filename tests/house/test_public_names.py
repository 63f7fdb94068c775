"""Every public name is explained: its parameters, what it returns and raises, and an example."""

import doctest
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import fastgc
from fastgc.errors import ArgumentError
from suite.docstrings import said

ROOMS = ("codes", "latency", "planning", "registry", "runs", "stragglers", "systems", "theory")
ROOMS += ("traces", "validation")
#: What plug-ins subclass, fill in or are handed: examples: `fastgc help own-model`, `own-system`.
BASES = {
    "planning.Step", "codes.Family", "latency.DrawnLaw", "latency.Law", "latency.Time",
    "registry.ExperimentTable", "registry.Member", "registry.Table", "stragglers.PatternLaw",
    "stragglers.Patterns", "stragglers.Stragglers", "systems.Structure", "systems.System",
}  # fmt: skip

#: What lies in what a function returns; that function's example shows it.
PARTS = {f"traces.{name}" for name in ("Fitted", "Independence", "Parameter")}
PARTS |= {"planning.Remedy", "validation.Verdict"}


def names():
    """Public functions and classes by where a user finds them, each once."""
    found = {name: getattr(fastgc, name) for name in fastgc.__all__}
    for room in ROOMS:
        module = getattr(fastgc, room)
        found |= {f"{room}.{name}": getattr(module, name) for name in module.__all__}
    return {name: thing for name, thing in found.items() if not isinstance(thing, ModuleType)}


NAMES = names()
FUNCTIONS = {name: thing for name, thing in NAMES.items() if inspect.isroutine(thing)}
RETURNED = re.findall(r"\nReturns\n-+\n(\w+)\n", "\n".join(map(inspect.getdoc, FUNCTIONS.values())))
CLASSES = {name: thing for name, thing in NAMES.items() if inspect.isclass(thing)}


def titles(thing):
    return re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(thing) or "", re.MULTILINE)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_take_and_return(name):
    function = FUNCTIONS[name]
    parameters = list(inspect.signature(function).parameters)
    assert set(parameters) <= {key.lstrip("*") for key in said(function)}
    assert "Returns" in titles(function)
    if parameters and not name.startswith("registry."):
        with pytest.raises(ArgumentError, match="there is no argument 'of_n'"):
            function(of_n=1)
    # a function that takes nothing, or anything of its type, raises nothing
    if parameters and name not in ("codes.structure_of", "theory.closed_forms"):
        assert "Raises" in titles(function)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_what_they_hold(name):
    cls = CLASSES[name]
    assert vars(cls).get("__doc__"), "a docstring of its own"
    if name in BASES:
        return
    models = getattr(cls, "model_fields", {}).items()
    fields = {key for key in getattr(cls, "__dataclass_fields__", {}) if key[0] != "_"}
    fields |= {key for key, field in models if field.is_required()}
    text = "".join(base.__doc__ or "" for base in cls.__mro__)
    for field in fields:
        assert re.search(rf"\b{field}\b", text), f"nothing says what {field} is"


LONG = pytest.param("errata", marks=pytest.mark.night)  # all corrections of a paper


@pytest.mark.parametrize("name", [LONG if name == "errata" else name for name in NAMES])
def test_examples_run(name):
    thing = NAMES[name]
    if not (inspect.isroutine(thing) or inspect.isclass(thing)):
        return
    module = importlib.import_module(thing.__module__)
    parsed = doctest.DocTestParser().get_doctest(
        inspect.getdoc(thing), dict(vars(module)), name, None, None
    )
    assert parsed.examples or name in BASES | PARTS or thing.__name__ in RETURNED, "no example"
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert not runner.run(parsed, out=said.append).failed, "".join(said)


def test_methods_say_what_they_do_or_override_what_says_it():
    """An override repeats nothing: it has a docstring where it does more than its base says."""
    folder = Path(fastgc.__file__).parent
    files = [file.relative_to(folder.parent).with_suffix("") for file in folder.rglob("*.py")]
    unsaid = []
    for file in files:
        name = ".".join(file.parts).removesuffix(".__init__")
        if file.name == "__main__":
            continue
        for cls in vars(importlib.import_module(name)).values():
            if not inspect.isclass(cls) or cls.__module__ != name or cls.__name__[0] == "_":
                continue
            for key, member in vars(cls).items():
                named = getattr(_function(member), "__qualname__", "")
                if key[0] != "_" and named == f"{cls.__name__}.{key}":
                    bases = (_function(vars(base).get(key)) for base in cls.__mro__)
                    if not any(getattr(base, "__doc__", None) for base in bases):
                        unsaid.append(f"{name}.{cls.__name__}.{key}")
    assert unsaid == []


def _function(member):
    """The function of a method or of a property."""
    for wrapper in ("__func__", "fget", "func"):
        member = getattr(member, wrapper, member)
    return member if inspect.isfunction(member) else None
