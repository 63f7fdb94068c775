"""Known bugs, planted one at a time: does ``fastgc validate`` see them, or a test?

    python -m bench.planted --list
    python -m bench.planted --day
    python -m bench.planted side-by-side one-percent --trials 2000000

A bug is caught if a verdict is neither the expected one nor "undecided", if validation fails and
says so, or if a test fails that is named beside the bug; what the tree without it gets wrong at the
same number of trials does not count. With ``--day`` only tests of the day are asked: those named
beside the bug, and those of the package that it changes.
"""
