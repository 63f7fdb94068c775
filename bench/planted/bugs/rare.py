"""Bugs in what estimates rare events, which no claim goes through."""

from __future__ import annotations

from bench.planted.bug import Bug

_ADDRESSES = "tests/rare/test_addresses.py"
_UNION = "fastgc/systems/timing/laws/tail.py"

BUGS = (
    Bug(
        "shared-swaps",
        "fastgc/experiments/decoding/rare/spectrum.py",
        '"rare swap", first * self.sets, s',
        '"rare swap", first, s',
        "chains of different islands swap by the same numbers",
        tests=(f"{_ADDRESSES}::test_no_two_parts_of_chains_share_random_numbers",),
        counts=False,
    ),
    Bug(
        "shared-union",
        "fastgc/experiments/decoding/rare/number_law.py",
        "(first + island) * DRAWS",
        "first + island * DRAWS",
        "islands of union sampling that are drawn in different looks share numbers",
        tests=(f"{_ADDRESSES}::test_no_two_islands_of_union_sampling_share_random_numbers",),
        counts=False,
    ),
    Bug(
        "cause-and-worker",
        "fastgc/experiments/decoding/rare/number_law.py",
        "late = numbers[:, 1:] < straggle",
        "late = numbers[:, :-1] < straggle",
        "which group is lost and whether worker 0 straggles come from one number",
        tests=(
            f"{_ADDRESSES}::test_which_group_is_lost_and_who_straggles_are_numbers_of_their_own",
        ),
        counts=False,
    ),
    Bug(
        "pilots-count",
        _UNION,
        "sampling(_PILOT, islands)",
        "sampling(0, islands)",
        "islands that decide how many there are count with the others",
        tests=(f"{_ADDRESSES}::test_islands_that_decide_how_many_there_are_do_not_count",),
        counts=False,
    ),
    Bug(
        "ninety-percent",
        _UNION,
        "half = error * (_ONE_SIDED if beside else _NORMAL)",
        "half = error * _ONE_SIDED",
        "intervals of union sampling are of 90 % and called 95 %",
        tests=(
            "tests/systems/test_tails.py"
            "::test_half_widths_are_1_96_standard_errors_and_1_645_beside_a_bound",
        ),
        counts=False,
    ),
    Bug(
        "larger-of-two",
        "fastgc/statistics/strata.py",
        "value + math.hypot(half, missing)",
        "value + max(half, missing)",
        "what no island reached replaces the sampling error instead of adding to it",
        tests=(
            "tests/statistics/test_strata.py"
            "::test_what_no_island_reached_widens_the_interval_upwards_alone",
        ),
        counts=False,
    ),
    Bug(
        "forgotten-side",
        "kernels/fastgc_kernels/decode/chain_intervals.py",
        "            elif side[q] == NEITHER and side[p] != NEITHER:\n",
        "            elif side[q] == NEITHER and side[p] == FIRST:\n",
        "chains of intervals forget what a returning survivor joins to the last side",
        tests=("tests/rare/test_sets.py::test_many_swaps_forget_no_side",),
        counts=False,
    ),
)
