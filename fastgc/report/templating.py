"""Templates of jinja2: those of pages in HTML, of the page on keys, and of reports in text."""

from functools import cache
from typing import TYPE_CHECKING, Any

from fastgc.registry.number_types import counted, spaced
from fastgc.report.text import NARROWEST, wrapped

if TYPE_CHECKING:
    import jinja2


@cache
def environment() -> "jinja2.Environment":
    """Return what reads the templates; jinja2 escapes what is put into those in HTML."""
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.PackageLoader("fastgc.report"),
        autoescape=jinja2.select_autoescape(["html"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"counted": counted, "spaced": spaced, "sentence": sentence}
    found.filters["wrapped"] = lambda text, *indent: "\n".join(wrapped(text, NARROWEST, *indent))
    return found


def render(name: str, **data: Any) -> str:
    """Return a template filled with data."""
    return environment().get_template(name).render(data).removesuffix("\n")


def sentence(text: str) -> str:
    """Return words with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."
