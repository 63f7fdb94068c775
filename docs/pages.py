"""Pages of the site that are made: of the handbook, of five papers, and of the names of Python."""

import functools
import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import jinja2

import fastgc
from fastgc import theory
from fastgc.report import handbook, papers
from fastgc.results.verdict_data import CONFIRMED, NONE, Finding, Verdict, conclude
from fastgc.statistics.estimates import Estimate
from fastgc.theory.by_name import of_claim
from fastgc.theory.papers.claim import NOT_REFUTED, Claim, words
from fastgc.validation.multiple_testing import with_object
from fastgc.version import __version__

ROOT = Path(__file__).parents[1]
#: What is public beside the names of fastgc: modules, and what functions return.
MODULES = ("planning", "registry", "validation", *map("theory.{}".format, theory.paper_names()))
RETURNED = (
    *("results.rows.Result", "results.rows.Row", "statistics.estimates.Estimate"),
    *("results.verdict_data.Verdict", "results.measurements.Measurement"),
    *("decoding.decode.Decoding", "decoding.inspection.Datasheet"),
)
#: Code, and signs that mean something in Markdown and reStructuredText.
SIGNS = r"(``.+?``|`[^`]+`)|([\\`*_\[\]<>|~$#])"
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["plain"] = lambda text: re.sub(SIGNS, lambda m: m[1] or f"\\{m[2]}", text)


def rendered(text: str) -> str:
    """Return a page that is a template."""
    readme = moved((ROOT / "README.md").read_text("utf-8"))
    return TEMPLATES.from_string(text).render(readme=readme, groups=handbook.GROUPS)


def moved(text: str, up: str = "") -> str:
    """Return a page of the repository's top with links of the site, ``up`` from its folder."""

    def link(found: re.Match[str]) -> str:
        target = found[1]
        if not (ROOT / target.partition("#")[0]).exists():
            return found[0]  # of the page itself, or of another host, or no link
        if target == "docs/gallery":
            target = "examples/index.rst"
        elif target.startswith(("fastgc/handbook/", "docs/")):
            target = target.removeprefix("fastgc/").removeprefix("docs/")
        else:
            target = f"project/{target.lower()}" if target.endswith(".md") else f"../{target}"
        return f"]({up}{target})"

    return re.sub(r"\]\(([^)#][^)]*)\)", link, text)


def make(folder: Path, issues: str) -> None:
    """Write all pages into folders of this one; what is as it should be stays, others leave."""
    written: set[Path] = set()

    def write(name: str, text: str) -> None:
        path = folder / name
        written.add(path)
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")

    for path in ROOT.glob("C*.md"):
        write(f"project/{path.name.lower()}", moved(path.read_text("utf-8"), "../"))
    for each in handbook.pages():
        write(f"handbook/{each.topic}.md", each.text)
    judged = [_judged(name) for name in theory.CORE]
    for page in judged:
        made = TEMPLATES.get_template("paper.md.jinja").render(
            page=page, source=_source, issues=issues
        )
        write(f"papers/{page['paper']}.md", made)
    index = TEMPLATES.get_template("papers.md.jinja")
    write("papers/index.md", index.render(pages=judged, overview=papers.overview, issues=issues))
    modules = _names()
    for module, names in modules.items():
        made = TEMPLATES.get_template("module.rst.jinja").render(module=module, names=names)
        write(f"reference/{module}.rst", made)
    index = TEMPLATES.get_template("reference.rst.jinja")
    write("reference/index.rst", index.render(modules=modules))
    for path in {path for page in written for path in page.parent.iterdir()} - written:
        path.unlink()


def _judged(paper: str) -> dict[str, Any]:
    """Return the page on a paper, with the verdicts that its claims should get.

    Nothing is measured: what is refuted has the object that a hand can check, at its first point.
    """

    def expected(claim: Claim) -> Verdict:
        said = CONFIRMED if claim.expected == NOT_REFUTED else claim.expected
        what = Estimate(None, None, None), NONE, said, 0.0
        found = [Finding(each, *what, reason=claim.missing) for each in claim.cases]
        return conclude(claim, [with_object(claim, each) for each in found])

    found = papers.page(paper, list(map(expected, theory.paper(paper).claims)), version=__version__)
    said = papers.overview(found)
    return found | {"overview": f"{said[0].lower()}{said[1:]}"}


def _source(claim: str) -> str:
    """Return what tests a claim, in Python: its formula, its points and how it is measured."""
    make = functools.partial(next(each.make for each in theory.claims() if each.id == claim))
    return inspect.getsource(inspect.unwrap(make.func)).strip()


def _names() -> dict[str, list[tuple[str, str]]]:
    """Return for each page autodoc's word and the full name of what it describes.

    A class of several modules is described with the first.
    """
    public = [getattr(fastgc, name) for name in fastgc.__all__]
    modules = {each.__name__: each for each in (fastgc, *filter(inspect.ismodule, public))}
    modules |= {f"fastgc.{own}": importlib.import_module(f"fastgc.{own}") for own in MODULES}
    known: set[Any] = set()
    pages: dict[str, list[tuple[str, str]]] = {}
    for name, module in modules.items():
        found = {own: getattr(module, own) for own in getattr(module, "__all__", dir(module))}
        for own, each in found.items():
            is_class = inspect.isclass(each)
            if not inspect.ismodule(each) and not (is_class and each in known):
                word = "class" if is_class else "function" if inspect.isroutine(each) else "data"
                pages.setdefault(name, []).append((word, f"{name}.{own}"))
            known.update([each] * is_class)
    classes = {f"fastgc.{own}": _found(f"fastgc.{own}") for own in RETURNED}
    pages["returned"] = [("class", own) for own, each in classes.items() if each not in known]
    return pages


def _found(name: str) -> Any:
    module, _, own = name.rpartition(".")
    return getattr(importlib.import_module(module), own)


@functools.cache
def _tested() -> dict[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in theory.claims():
        for name in of_claim(claim.id) if claim.paper in theory.CORE else ():
            found.setdefault(name, []).append(claim)
    return found


def closed_form(name: str, text: str) -> str:
    """Return the docstring of a closed form, with links to the claims that test it."""
    said = words(text)
    summary, _, more = said.pop("statement").partition("\n\n")
    return TEMPLATES.get_template("closed_form.rst.jinja").render(
        summary=summary, more=more, claims=_tested().get(name, ()), **said
    )
