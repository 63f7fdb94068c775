"""A Slurm of one node, from the packages of the system, for as long as a block of code runs.

Its daemons are those of a cluster: slurmctld, slurmd and munged, with ports, a socket and a folder
of their own. They run as the user who starts them, without systemd, and are gone afterwards.
"""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "scancel")
START_SECONDS = 30.0
STOP_SECONDS = 10.0

CONFIGURATION = Path(__file__).with_name("templates") / "slurm.conf"


class SlurmError(RuntimeError):
    """Slurm does not start here; with the ends of its logs."""


@dataclass(frozen=True)
class Slurm:
    """A running Slurm: where its configuration and logs are."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the commands of Slurm need to find it."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def ask(self, *command: str) -> str:
        """Return what a command of Slurm says."""
        done = subprocess.run(
            command,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
        return done.stdout + done.stderr

    def logs(self, lines: int = 15) -> str:
        """Return the ends of the logs."""
        return "\n".join(
            line
            for path in sorted(self.folder.glob("*.log*"))
            for line in [f"{path.name}:", *path.read_text(errors="replace").splitlines()[-lines:]]
        )


@contextlib.contextmanager
def running() -> Iterator[Slurm]:
    """Start Slurm; stop it and all its jobs at the end.

    Raises
    ------
    SlurmError
        If it does not start.
    """
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # a socket's path must be short
    slurm = Slurm(folder)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        _configure(folder)
        with (folder / "output.log").open("wb") as said:
            for command in _commands(folder):
                daemons.append(
                    subprocess.Popen(
                        command,
                        stdin=subprocess.DEVNULL,
                        stdout=said,
                        stderr=said,
                        start_new_session=True,
                        env=os.environ | slurm.environment,
                    )
                )
        _wait(slurm, daemons)
        yield slurm
    finally:
        if daemons and all(daemon.poll() is None for daemon in daemons):
            slurm.ask("scancel", "--full", f"--user={pwd.getpwuid(os.getuid()).pw_name}")
            until = time.monotonic() + STOP_SECONDS
            while slurm.ask("squeue", "--noheader").strip() and time.monotonic() < until:
                time.sleep(0.1)
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in reversed(daemons):
            try:
                daemon.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _configure(folder: Path) -> None:
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "munge.key-file").write_bytes(os.urandom(128))
    (folder / "munge.key-file").chmod(0o600)
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        text = CONFIGURATION.read_text(encoding="utf-8").format(
            folder=folder,
            host=socket.gethostname().partition(".")[0],
            user=pwd.getpwuid(os.getuid()).pw_name,
            ports=[each.getsockname()[1] for each in sockets],
        )
    (folder / "slurm.conf").write_text(text)


def _commands(folder: Path) -> list[list[str]]:
    files = ("key-file", "socket", "pid-file", "log-file", "seed-file")
    named = [f"--{name}={folder}/munge.{name}" for name in files]
    return [
        ["munged", "--foreground", "--force", *named],  # --force: below a folder like /tmp
        ["slurmctld", "-D", "-f", f"{folder}/slurm.conf"],
        ["slurmd", "-D", "-f", f"{folder}/slurm.conf"],
    ]


def _wait(slurm: Slurm, daemons: list[subprocess.Popen[bytes]]) -> None:
    until = time.monotonic() + START_SECONDS
    while "idle" not in slurm.ask("sinfo", "--noheader"):
        if time.monotonic() > until or any(daemon.poll() is not None for daemon in daemons):
            raise SlurmError(f"Slurm does not start here\n{slurm.logs()}")
        time.sleep(0.1)
