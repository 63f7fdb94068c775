"""Tasks that other processes can import: some end the process that runs them."""

import os
import signal
from pathlib import Path


def die_once(flag, value):
    """Kill the process that runs this at the first time; the flag says that it was so."""
    if not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def variable(name):
    return os.environ.get(name)


def handles(number):
    return signal.getsignal(number) == signal.SIG_IGN
