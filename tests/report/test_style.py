"""The stylesheet: its colours can be read on each other."""

import itertools
import re

import pytest

from fastgc.report import html
from report.contrast import ENOUGH, contrast

INK = ("ink", "quiet", "link", "good", "bad", "open")


def schemes():
    """The colours by name, as the stylesheet gives them to light and dark screens."""
    text = html.stylesheet()
    found = re.findall(r":root \{([^}]*)\}", text)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", each)) for each in found]


def test_contrast_is_reckoned_as_it_is_defined():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_text_stands_out_in_light_and_dark():
    light, dark = schemes()
    assert light != dark and set(light) == set(dark) >= {"paper", "soft", *INK}
    for colours, (ink, paper) in itertools.product(
        (light, dark), itertools.product(INK, ("paper", "soft"))
    ):
        assert contrast(colours[ink], colours[paper]) >= ENOUGH, (ink, paper)


def test_every_colour_has_a_name_and_every_name_a_use():
    [rules] = re.findall(r"\}\n(html \{.*)", html.stylesheet(), re.DOTALL)
    assert set(re.findall(r"var\(--(\w+)\)", rules)) == set(schemes()[0])
    assert re.findall(r"#[0-9a-f]{3,8}\b", rules) == ["#fff"], "pictures are drawn on white"
