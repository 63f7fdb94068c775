"""The handbook's HTML in a browser: nothing is asked for, nothing sticks out, at three widths."""

import pytest

from conftest import program
from fastgc.report import handbook
from report.browser import Browser

pytestmark = pytest.mark.night


@pytest.fixture(scope="module")
def browser():
    found = Browser(program("chromium"))
    yield found
    found.close()


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_the_whole_handbook(browser, tmp_path, width):
    file = tmp_path / "handbook.html"
    file.write_text(handbook.as_html(handbook.pages()), encoding="utf-8")
    browser.show(file, width)
    assert browser.complaints() == []
    assert browser.requests() == [file.as_uri()]
    assert browser.ask("document.documentElement.scrollWidth") <= width
    # every link of the contents leads to a section
    assert browser.ask(
        "[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.hash))"
    )


def test_a_page(browser, tmp_path):
    file = tmp_path / "slurm.html"
    file.write_text(handbook.as_html([handbook.page("slurm")]), encoding="utf-8")
    browser.show(file, 360)
    assert browser.complaints() == []
    heard = browser.heard()
    assert ("heading", handbook.page("slurm").title) in heard
    assert [role for role, _ in heard].count("main") == 1
    assert len(browser.pdf()) > 10_000
