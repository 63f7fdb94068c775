"""Some patterns are decoded again: which ones, what they cost, and what a difference means."""

import pytest

import fastgc
from fastgc import codes
from fastgc.decoding.algorithms import LeastSquares, Orthogonal
from fastgc.decoding.decoder import Decoder
from fastgc.experiments.decoding.auditing import ErrorAudit
from fastgc.results.verdict_data import UNDECIDED
from fastgc.study.study import Study
from fastgc.theory.papers.claim import Case
from fastgc.validation.decision_rules import Evidence, decide, p_value
from suite.checks import every

CODE = codes.cyclic(n=20, d=3, seed=1)
STUDY = {
    "code": {"family": "cyclic", "n": 20, "d": 3, "seed": 1},
    "stragglers": {"model": "iid", "p": 0.2},
    "measure": ["error", "exact"],
    "method": "monte-carlo",
    "thresholds": [1.0],
    "quantiles": [0.5],
}
TRIALS = 200_000


@pytest.fixture
def wrong(monkeypatch):
    def by(amount):
        attempt = LeastSquares.attempt

        def off(self, packed, out):
            left = attempt(self, packed, out)
            out += amount
            return left

        monkeypatch.setattr(LeastSquares, "attempt", off)

    return by


def audited(monkeypatch, **options):
    seen = []
    errors = Orthogonal.errors

    def counted(self, packed, out):
        seen.append(packed.copy())
        errors(self, packed, out)

    with monkeypatch.context() as patch:
        patch.setattr(Orthogonal, "errors", counted)
        fastgc.run(STUDY, **options)
    return {row.tobytes() for rows in seen for row in rows}


def test_one_pattern_of_so_many_is_decoded_again(monkeypatch):
    decoder = Decoder(CODE)
    assert ErrorAudit(decoder, CODE).period == 1 << 16
    assert ErrorAudit(decoder, codes.cyclic(n=300, d=6, seed=1)).period == 1 << 19
    once = audited(monkeypatch, trials=TRIALS, threads=1)
    assert len(once) in (3, 4)  # 200 000 / 65 536, wherever the first one is
    assert once == audited(monkeypatch, trials=TRIALS, threads=2)
    assert once != audited(monkeypatch, trials=TRIALS, seed=5)


def test_codes_of_one_tier_are_not_audited():
    for code in (codes.frc(n=20, d=2), codes.cyclic(n=12, d=3, seed=1)):
        assert ErrorAudit.of(Decoder(code), code) is None
    assert ErrorAudit.of(Decoder(CODE), CODE) is not None


@pytest.mark.parametrize("amount", [0.0, 1e-10])
def test_what_agrees_is_not_mentioned(wrong, amount):
    wrong(amount)
    rows = fastgc.run(STUDY, trials=TRIALS).rows()
    assert not any("audited" in row.get("note", "") for row in rows)
    assert every(row["standard_error"] for row in rows if row["statistic"] == "mean")


def test_what_disagrees_has_no_interval(wrong, tmp_path):
    wrong(3e-7)
    file = tmp_path / "r.h5"
    result = fastgc.run(STUDY, trials=TRIALS, out=file)
    for row in result.rows():
        said = row["note"].split("no interval: ")[1]
        assert said in ("3 of 3 audited patterns disagreed by 3e-07",
                        "4 of 4 audited patterns disagreed by 3e-07")  # fmt: skip
        assert row["standard_error"] is None and row["low"] is None and row["high"] is None
    assert fastgc.open(file).rows() == result.rows()
    mean = result["experiment1"]["error"].mean
    for theory in (mean.value, 2 * mean.value):
        case = Case({}, theory, STUDY, "error", scale=20.0)
        assert p_value(case, "=", mean) == 1.0
        found = decide(case, "=", Evidence(mean), is_rejected=False, significance=0.01)
        assert found.verdict == UNDECIDED and "audited patterns disagreed" in found.reason


def test_the_command_fails(wrong, command, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(Study.parse(STUDY).text())
    given = "run", file, "--trials", TRIALS, "-o"
    code, _, err = command(*given, tmp_path / "right.h5")
    assert code == 0 and "audit" not in err
    wrong(3e-7)
    code, out, err = command(*given, tmp_path / "wrong.h5")
    assert code == 1 and "decoding failed its audit" in err
    assert "audited patterns disagreed by 3e-07" in out
