"""``fastgc run --compile-only``: what it compiles, runs find."""

import pytest

from conftest import environment

STUDY = """
[[experiment]]
code = { family = "uncoded", n = 3 }
stragglers = { model = "iid", p = 0.1 }
"""


@pytest.mark.night
def test_a_run_finds_what_was_compiled_for_another_processor(tmp_path, fastgc_command):
    (tmp_path / "study.toml").write_text(STUDY)
    target = {"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": ""}
    env = environment(NUMBA_CACHE_DIR=str(tmp_path / "cache"), **target)
    done = fastgc_command("run", "study.toml", "--compile-only", "--threads", "1", env=env)
    assert done.returncode == 0, done.stderr
    kernels = sorted((tmp_path / "cache" / "kernels").glob("*.nbc"))
    assert f"done: {len(kernels)} kernels" in done.stderr
    assert any("lost_groups_of_blocks" in each.name for each in kernels), "long runs call it"
    stamps = [kernel.stat().st_mtime_ns for kernel in kernels]
    # enough trials that NumPy stands in for no kernel to the end
    arguments = ("run", "study.toml", "--method", "monte-carlo", "--trials", "20000000")
    run = fastgc_command(*arguments, env=env)
    assert run.returncode == 0, run.stderr
    assert sorted((tmp_path / "cache" / "kernels").glob("*.nbc")) == kernels
    assert [kernel.stat().st_mtime_ns for kernel in kernels] == stamps


@pytest.mark.night
def test_without_a_folder_it_says_what_is_missing(fastgc_command):
    nowhere = environment(HOME="/dev/null", XDG_CACHE_HOME=None, NUMBA_CACHE_DIR=None)
    done = fastgc_command("run", "--compile-only", env=nowhere)
    assert done.returncode == 2 and "NUMBA_CACHE_DIR" in done.stderr
