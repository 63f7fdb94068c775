"""Keys that are swept together: points, complaints, rows, files, shards and claims."""

import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.study.study import Study

ONE = {"code": {"family": "frc", "n": 8, "d": 2}, "stragglers": {"model": "iid", "p": 0.1}}
SWEEP = {"code.n, code.d": [[8, 2], [12, 3]], "stragglers.p": [0.1, 0.2]}
POINTS = [
    {"code.n": 8, "code.d": 2, "stragglers.p": 0.1},
    {"code.n": 8, "code.d": 2, "stragglers.p": 0.2},
    {"code.n": 12, "code.d": 3, "stragglers.p": 0.1},
    {"code.n": 12, "code.d": 3, "stragglers.p": 0.2},
]
TOML = """
[[experiment]]
name = "both"
method = "both"
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "iid", p = 0.1 }
[experiment.sweep]
"code.n, code.d" = [[8, 2], [12, 3]]
"stragglers.p" = [0.1, 0.2]
"""


def points(sweep):
    return [point.sweep for point in Study.parse(ONE | {"sweep": sweep}).points()]


def test_they_go_through_their_values_side_by_side_and_others_cross_them():
    assert points(SWEEP) == POINTS
    assert points({"code": {"n,d": [[8, 2], [12, 3]]}, "stragglers.p": [0.1, 0.2]}) == POINTS
    assert points({"code.n , code.d": [[8.0, 1e0]]}) == [{"code.n": 8, "code.d": 1}]
    codes = [{"family": "uncoded", "n": 4}, {"family": "frc", "n": 8, "d": 2}]
    slow = {"model": "two-class", "slow": 1, "p_straggle_slow": 0.5, "p_straggle_active": 0.0}
    together = {"code,stragglers,iterations": [[codes[0], slow, 2], [codes[1], slow, 1]]}
    assert [point["iterations"] for point in points(together)] == [2, 1]


TWO = "must be a list of 2 values, one for each of code.n, code.d"


@pytest.mark.parametrize(("keys", "values", "said"), [
    ("code.n, code.d", [[8, 2], [12]], f"[1]: {TWO} (got [12])"),
    ("code.n, code.d", [8, 12], f"[0]: {TWO} (got 8)"),
    ("code.n, code.d", 8, ": must be a list of at least one value (got 8)"),
    ("code.n,", [[8]], ": names no key before or after a comma; name one, like 'code.d'"),
    ("code.n, code.d", [[8, 2], [8, 2]], ": must list each value once (got [8, 2] again)"),
    ("code.n, code.d", [[8, 2], [9, 2]], "[1][1]: must divide n (got n=9, d=2; 1, 3 or 9 do)"),
    ("stragglers.p, code.d", [[0.1, 2], ["often", 2]],
     "[1][0]: must be a number or a list (got 'often')"),
    ("code.n, code.n", [[8, 8]], ": code.n is swept twice; name it once"),
    ("code, code.d", [[{}, 2]], ": is inside code, which is swept too"),
    ("code.d, kind", [[2, "decoding"]], ": kind cannot be swept"),
    ("stragglers.p, code.dd", [[0.1, 2]],
     "[0][1]: unknown key; did you mean 'd'? allowed: d, family, n"),
])  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(keys, values, said):
    with pytest.raises(FastgcError) as caught:
        points({keys: values})
    assert f'study: sweep."{keys}"{said}' in str(caught.value).splitlines()
    if said.endswith("swept twice; name it once"):  # also by two entries
        with pytest.raises(FastgcError, match=r'"code\.n, code\.d": code\.d is swept twice'):
            points({"code.n, code.d": [[8, 2]], "code.d": [1]})


@pytest.mark.night
def test_a_run_its_file_and_commands_have_these_points(tmp_path, command):
    study = tmp_path / "s.toml"
    study.write_text(TOML)
    whole = fastgc.run(study, trials=200_000, out=tmp_path / "whole.h5")
    rows = whole.rows()
    assert [row["point"] for row in rows if row["method"] == "exact"][::4] == POINTS
    mean = whole["both", {"code.n": 12, "stragglers.p": 0.2}]["error"].mean
    assert mean.value == pytest.approx(12 * 0.2**3)
    assert fastgc.open(tmp_path / "whole.h5").rows() == rows
    code, out, _ = command("show", study, "--replay", 5, "--point", "code.n=12",
                           "--point", "stragglers.p=0.2")  # fmt: skip
    assert code == 0 and out.startswith("both  code.n=12  code.d=3  stragglers.p=0.2, trial 5")
    code, out, _ = command("run", study, "--dry-run", "--trials", "1e5")
    assert code == 0 and "code.n=12, code.d=3, stragglers.p=0.2" in out
    one = 'experiment.both.sweep={"code.n, code.d" = [[8, 4]]}'
    code, out, _ = command("run", study, "--trials", 100, "--set", one)
    assert code == 0 and "both, 100 trials: code.n=8, code.d=4" in out


def test_a_claim_has_a_case_at_each_point():
    said = {"id": "mine.lemma", "quantity": "error", "statement": "n p^d are lost on average"}
    lemma = fastgc.claim(**said, experiment=ONE, theory="n * p**d", sweep=SWEEP)
    [verdict] = fastgc.validate(lemma, method="exact")
    assert verdict.verdict == "confirmed" and len(verdict.findings) == 4
    sweep = {"code.d, measure": [[2, ["error"]]]}
    with pytest.raises(FastgcError, match="is said by the claim's quantity"):
        fastgc.claim(**said, experiment=ONE, theory=1.0, sweep=sweep)
