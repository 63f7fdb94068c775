"""How Sphinx builds the site; `pages` writes what is made beside this file before it looks."""

import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from fastgc import theory
from fastgc.version import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402

#: Where a statement that is judged unfairly is reported, like "https://example.org/fastgc/issues";
#: without an address links lead to a section of the site.
ISSUES = ""

project, release = "fastgc", __version__
author = copyright = "the fastgc developers"
extensions = [
    *("myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"),
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery", "static", "templates"]
html_theme, html_title = "furo", f"fastgc {release}"
pygments_dark_style = "github-dark"
html_static_path, html_css_files = ["static"], ["site.css"]
html_copy_source = html_show_sphinx = add_module_names = False
default_role = "py:obj"
autodoc_member_order, autodoc_typehints, autodoc_preserve_defaults = "bysource", "none", True
myst_heading_anchors = 4

sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["examples"],
    "filename_pattern": "",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "write_computation_times": False,
}


def first_page(app: Sphinx, name: str, text: list[str]) -> None:
    """Put README and the groups of the handbook into the first page."""
    if name == app.config.root_doc:
        text[0] = pages.rendered(text[0])


def closed_form(app: Sphinx, what: str, name: str, *rest: Any) -> None:
    """Let a closed form say what it is, how a paper prints it, and which claims test it."""
    paper, _, own = name.removeprefix("fastgc.theory.").partition(".")
    if paper in theory.paper_names() and own:
        rest[-1][:] = pages.closed_form(f"{paper}.{own}", "\n".join(rest[-1])).splitlines()


def setup(app: Sphinx) -> None:
    """Make the pages before Sphinx looks for them."""
    pages.make(HERE, ISSUES)
    app.add_lexer("log", TextLexer)
    app.connect("source-read", first_page)
    app.connect("autodoc-process-docstring", closed_form, priority=100)
