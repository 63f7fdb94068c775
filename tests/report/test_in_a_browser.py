"""Pages in a headless Chromium: what a reader meets on a phone and on a screen."""

import pytest

import fastgc
from conftest import program
from fastgc.report import pages as made
from fastgc.validation.reports import page
from report.browser import Browser
from suite.checks import every
from suite.studies import groups, ring

pytestmark = pytest.mark.night

WIDTHS = (360, 768, 1280)
PAGES = ("run", "claims", "errata")
SLOW = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.8, "p_straggle_active": 0.01}
LONG = {
    "stragglers": SLOW,
    "method": "both",
    "measure": ["error", "survivors"],
    "quantiles": [0.5, 0.9],
    "thresholds": [1.0],
    "sweep": {"stragglers.p_slow": [0.1, 0.3], "shuffle": ["none", "random"]},
}
STUDY = {
    "title": "Four codes with rather long names of their parameters",
    "experiment": [groups(name="frc", **LONG), ring(6, name="circulant", **LONG)],
}
CLAIMS = [
    "agc.frc-1.976", "agc.circulant-better-than-frc", "agc.lemma1", "agc.theorem2.cycle-classes"
]  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    fastgc.run(STUDY, out=folder / "run.h5", trials=2000)
    found = fastgc.validate(CLAIMS, out=folder / "claims.h5", trials=1000)
    for name in ("run", "claims"):
        made.save(page([folder / f"{name}.h5"]), folder / f"{name}.html")
    data = made.page("agc", found, version="1.2.3", seed=1)
    made.save(made.of_page(data), folder / "errata.html")
    return folder


@pytest.fixture(scope="module")
def browser():
    shown = Browser(program("chromium"))
    yield shown
    shown.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_asked_for_and_nothing_complained_of(browser, pages, name):
    browser.show(pages / f"{name}.html")
    assert browser.requests() == [(pages / f"{name}.html").as_uri()]
    assert browser.complaints() == []
    title, head = "document.title", "document.querySelector('h1').innerText"
    assert browser.ask(title) == browser.ask(head)
    assert browser.ask("document.documentElement.lang") == "en"
    links = "[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.hash))"
    assert browser.ask(links), "every link of the contents leads to a section"


def test_complaints_and_requests_are_seen(browser, tmp_path):
    (tmp_path / "bad.html").write_text(
        "<!doctype html><title>x</title><img src='no.png'><script>throw new Error('e')</script>"
    )
    browser.show(tmp_path / "bad.html")
    assert len(browser.requests()) == 2 and browser.complaints()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_its_screen(browser, pages, name, width):
    browser.show(pages / f"{name}.html", width)
    wide = browser.ask("document.documentElement.scrollWidth")
    assert browser.ask("innerWidth") == width and wide <= width
    small = """[...document.querySelectorAll('p, li, td, th, small, pre, figcaption')]
        .filter(each => parseFloat(getComputedStyle(each).fontSize) < 12).length"""
    assert browser.ask(small) == 0, "text of at least 12 pixels"
    outside = """[...document.querySelectorAll('h1, h2, h3, p, li, pre, figcaption')]
        .filter(each => each.getBoundingClientRect().right > innerWidth + 1
            && !each.closest('.scroll')).length"""
    assert browser.ask(outside) == 0


def test_wide_tables_scroll_in_their_own_box_and_pictures_can_be_read(browser, pages):
    browser.show(pages / "run.html", 360)
    boxes = browser.ask(
        """[...document.querySelectorAll('.scroll')].filter(each => each.querySelector('table'))
        .map(each => [each.scrollWidth > each.clientWidth, getComputedStyle(each).overflowX,
            each.tabIndex, each.getAttribute('aria-label') != ''])"""
    )
    assert any(is_wide for is_wide, *_ in boxes)
    assert every(rest == ["auto", 0, True] for _, *rest in boxes), "by keyboard and by name, too"
    sizes = browser.ask(
        """[...document.querySelectorAll('figure svg text')].map(each =>
            parseFloat(getComputedStyle(each).fontSize)
            * Math.hypot(each.getScreenCTM().a, each.getScreenCTM().b))"""
    )
    assert sizes and min(sizes) >= 9
