"""Bugs in what checks, continues and sends on what was sampled, which no claim goes through."""

from __future__ import annotations

from bench.planted.bug import Bug

BUGS = (
    Bug(
        "last-never-audited",
        "fastgc/runs/recomputing.py",
        "draws.sample(range(subject.blocks), count)",
        "draws.sample(range(max(count, subject.blocks - 1)), count)",
        "audit never draws the last block, the partial one",
        tests=("tests/runs/test_audit.py::test_every_place_is_drawn_as_often_as_any_other",),
        counts=False,
    ),
    Bug(
        "whole-blocks-alone",
        "fastgc/results/checkpointer.py",
        "done <= mine.get(key, (0, 0))[0] and trials <= mine.get(key, (0, 0))[1]",
        "done <= mine.get(key, (0, 0))[0]",
        "an unfinished file with a partial block more is thrown away",
        tests=(
            "tests/results/test_continuing.py"
            "::test_a_partial_block_more_decides_which_file_goes_on",
        ),
        counts=False,
    ),
    Bug(
        "any-kernels",
        "fastgc/engine/payloads.py",
        ", stream version {STREAM_VERSION}, kernels {source_digest()}",
        ", stream version {STREAM_VERSION}",
        "workers with other kernels sample for one answer",
        tests=(
            "tests/engine/test_payloads.py::test_whatever_decides_a_number_tells_workers_apart",
        ),
        counts=False,
    ),
    Bug(
        "band-of-bins",
        "fastgc/report/pictures/distribution.py",
        "_interval(p, law.trials) for p",
        "_interval(p, len(edges)) for p",
        "the band of a tail is that of as many trials as there are bins",
        tests=(
            "tests/report/pictures/test_kinds.py"
            "::test_the_band_of_a_tail_is_the_interval_of_each_share",
        ),
        counts=False,
    ),
)
