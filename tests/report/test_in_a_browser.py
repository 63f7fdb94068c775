"""Pages in a headless Chromium: what a reader meets on a phone and on a screen."""

import json
import re
from html import escape, unescape

import pytest

import fastgc
from conftest import program, ran
from fastgc.report import html, papers
from fastgc.validation.reports import page
from suite.checks import every
from suite.studies import groups, ring

pytestmark = pytest.mark.night

WIDTHS = (360, 768, 1280)
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
#: What is asked of a page in a frame.
ASKED = """(look, page) => {
    const all = which => [...page.querySelectorAll(which)];
    const style = each => look.getComputedStyle(each);
    const size = each => parseFloat(style(each).fontSize);
    const right = each => each.getBoundingClientRect().right;
    return {
        title: page.title, head: page.querySelector('h1').innerText,
        language: page.documentElement.lang, screen: look.innerWidth,
        width: page.documentElement.scrollWidth,
        requests: look.performance.getEntriesByType('resource').map(each => each.name),
        dead: all('nav a').filter(each => !page.getElementById(each.hash.slice(1))).length,
        small: all('p, li, td, th, small, pre, figcaption').filter(each => size(each) < 12).length,
        outside: all('h1, h2, h3, p, li, pre, figcaption').filter(each =>
            right(each) > look.innerWidth + 1 && !each.closest('.scroll')).length,
        boxes: all('.scroll').filter(each => each.querySelector('table')).map(each =>
            [each.scrollWidth > each.clientWidth, style(each).overflowX, each.tabIndex,
             each.getAttribute('aria-label') != '']),
        letters: all('figure svg text').map(each =>
            size(each) * Math.hypot(each.getScreenCTM().a, each.getScreenCTM().b)),
    };
}"""


def shown(folder, texts):
    """What a browser finds of pages at each width, by name and width; and its complaints."""
    frames = "".join(
        f'<iframe name="{name} {width}" style="width: {width}px" srcdoc="{escape(text)}"></iframe>'
        for name, text in texts.items()
        for width in WIDTHS
    )
    script = f"""<script>onload = () => document.body.innerText = JSON.stringify([
        ...document.querySelectorAll('iframe')].map(each =>
        [each.name, ({ASKED})(each.contentWindow, each.contentDocument)]))</script>"""
    (folder / "frames.html").write_text(f"<!doctype html><body>{frames}{script}</body>")
    alone = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
    own = f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--dump-dom"
    done = ran(program("chromium"), *alone, *own, (folder / "frames.html").as_uri())
    [found] = re.findall(r"<body>(.*)</body>", done.stdout, re.DOTALL)
    return dict(json.loads(unescape(found))), re.findall(r".*CONSOLE.*", done.stderr)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    fastgc.run(STUDY, out=folder / "run.h5", trials=2000)
    found = fastgc.validate(CLAIMS, out=folder / "claims.h5", trials=1000)
    documents = {name: page([folder / f"{name}.h5"]) for name in ("run", "claims")}
    documents["errata"] = papers.paper_page(papers.page("agc", found, version="1.2.3", seed=1))
    texts = {name: html.as_html(each) for name, each in documents.items()}
    return shown(folder, texts)


def test_pages_are_whole_and_as_wide_as_their_screen(found):
    pages, complaints = found
    assert complaints == [] and len(pages) == 3 * len(WIDTHS)
    for name, each in pages.items():
        assert each["title"] == each["head"] and each["language"] == "en"
        assert each["requests"] == [], "a page asks for nothing"
        assert each["dead"] == 0, "every link of the contents leads to a section"
        assert name.endswith(f" {each['screen']}") and each["width"] <= each["screen"]
        assert (each["small"], each["outside"]) == (0, 0), "text of at least 12 pixels, inside"


def test_wide_tables_scroll_in_their_own_box_and_pictures_can_be_read(found):
    narrow = found[0]["run 360"]
    assert any(is_wide for is_wide, *_ in narrow["boxes"])
    said = [rest for _, *rest in narrow["boxes"]]
    assert every(rest == ["auto", 0, True] for rest in said), "by keyboard and by name, too"
    assert narrow["letters"] and min(narrow["letters"]) >= 9
