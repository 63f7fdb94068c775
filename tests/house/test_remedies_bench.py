"""`bench.remedies`: what is chosen on one half of a recording, and judged on the other."""

import json

import numpy as np
import pytest

from bench import remedies

ROWS = np.random.default_rng(2).gamma(9.0, 0.1, (40, 6))
ROWS[:, 2] *= 4.0


def found(rows, rate):
    return {each.remedy: each for each in remedies.judged(rows, rate)}


@pytest.mark.parametrize("rate", [1.0, 0.1])
def test_slow_workers_are_left_out_and_their_work_costs_the_others(rate):
    own = found(ROWS, rate)
    second, more = ROWS[20:], rate * ROWS[:20].mean()
    plain = second.max(axis=1).mean()
    k = own["leave out"].chosen["k"]
    kept = np.argsort(ROWS[:20].mean(axis=0))[: 6 - k]
    others = second[:, kept].max(axis=1) + more * k / (6 - k)
    assert k >= 1 and 2 in set(range(6)) - set(kept)
    assert own["leave out"].ratio == pytest.approx(others.mean() / plain)
    b = own["spare"].chosen["b"]
    spared = np.sort(second, axis=1)[:, 5 - b] + more * b / (6 - b)
    assert own["spare"].ratio == pytest.approx(spared.mean() / plain)
    code = own["code"].chosen
    done = np.sort(second, axis=1)[:, 5 - code.get("s", 0)]
    if code["family"] == "replication":
        done = second.reshape(20, -1, code["d"]).min(axis=2).max(axis=1)
    coded = done + more * (code.get("s", code.get("d", 1) - 1))
    assert own["code"].ratio == pytest.approx(coded.mean() / plain)


def test_local_steps_are_held_against_the_same_rows():
    rows = ROWS[:36]  # of the 18 that judge, 16 are whole periods
    plain = rows[18:34].max(axis=1).mean()
    local = rows[18:34].reshape(4, 4, 6).sum(axis=1).max(axis=1).mean() / 4
    assert found(rows, 1.0)["local-sgd(4)"].ratio == pytest.approx(local / plain)


def test_who_would_take_less_than_no_time_has_no_number():
    rows = np.where(np.arange(6) == 2, 50.0, 0.1) + 0.01 * ROWS
    assert found(rows, 1.0)["balanced"].ratio is not None
    rows[5, 2] = 0.1
    assert found(rows, 1.0)["balanced"].ratio is None


def test_the_command_refuses_times_of_rounds(tmp_path, capsys):
    for name, rows in (("own", ROWS), ("rounds", np.repeat(ROWS.max(axis=1)[:, None], 6, axis=1))):
        np.savetxt(tmp_path / f"{name}.csv", rows, delimiter=",", header="a,b,c,d,e,f", comments="")
    assert remedies.main([str(tmp_path), "--rates", "1,0", "--json", str(tmp_path / "r.json")]) == 0
    told, refused = capsys.readouterr()
    assert "times of rounds" in refused and "of 1: 0 at c = 1" in told
    assert list(json.loads((tmp_path / "r.json").read_text())) == ["own"]
