"""What is asked of the times of a recording."""

import numpy as np
import pytest

import fastgc


@pytest.fixture
def advise(tmp_path):
    """Write times (rounds, n) as a table, and return what is advised."""

    def ask(rows, head=None, **options):
        path = tmp_path / "times.csv"
        head = head or ",".join(f"w{j}" for j in range(rows.shape[1]))
        np.savetxt(path, rows, fmt="%.6f", delimiter=",", header=head, comments="")
        return fastgc.advise(path, **options)

    return ask
