"""Claims aimed at corners by hand, of which it is known whether they are true.

``fastgc validate bench/corner_claims.toml`` judges all of them; here are those that take no time.
"""

import tomllib

import pytest

import fastgc
from conftest import ROOT
from suite.checks import every

CLAIMS = tomllib.loads((ROOT / "bench" / "corner_claims.toml").read_text())["claim"]
#: Orders up to 1e5 take a second, and of the others no exact method knows.
DEAR = ("f10", "g", "s9", "s10", "t16", "f16", "s2", "u", "x47", "x49", "x55", "x56", "x57")
#: What is judged wrongly still.
OPEN = ("x16",)


def named(claim, names):
    return claim["id"].removeprefix("corner.").startswith(names)


@pytest.mark.parametrize(
    "group", ["t", "f", ("s", "z"), "h", "x0", ("x1", "x2"), ("x3", "x4"), "x5"]
)
def test_cheap_ones_are_judged_rightly(group):
    chosen = [c for c in CLAIMS if named(c, group) and not named(c, (*DEAR, *OPEN))]
    verdicts = fastgc.validate({"claim": chosen}, method="exact", trials=1000)
    assert every(each.as_expected for each in verdicts), verdicts
