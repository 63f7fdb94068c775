"""Stand-ins give the bits of their kernels."""

import subprocess
import sys
from pathlib import Path

from conftest import environment


def test_every_stand_in_gives_the_bits_of_its_kernel():
    """On full and empty patterns, one and several words, matrices of full and of lower rank."""
    program = Path(__file__).with_name("stand_in_cases.py")
    done = subprocess.run(
        [sys.executable, program], env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
