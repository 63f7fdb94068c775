"""Lines for a batch queue: an array of shards, and the merge that follows."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

TASK_SECONDS = 3600.0  # of a shard, where their number is not given
MOST_SHARDS = 1000  # Slurm's own default limit is 1001
MARGIN = 1.5  # by which time and memory may exceed what is expected, start-up apart
START_SECONDS = 120  # until a process samples, on a node that has compiled nothing yet
MEBI = 1 << 20
LONGEST = 64  # of a command's lines, which stand behind others


@dataclass(frozen=True)
class Batch:
    """What to ask a queue for."""

    shards: int  #: Tasks of the array; 1 where no array is needed.
    cores: int  #: Of each task.
    seconds: int  #: Limit of a task's time.
    memory_bytes: int | None  #: Limit of its memory; None where nothing is known.
    trials: int | None  #: For its option, None where the study's own are meant.
    #: The command and each of its options, as a shell takes them; without trials, shard and file.
    command: tuple[str, ...]
    out: str  #: The file's name, without its suffix.

    @property
    def submit(self) -> str:
        """The command that hands it to Slurm."""
        asked = ["sbatch"]
        words = [*self.command]
        out = shlex.quote(f"{self.out}.h5")
        if self.trials is not None:
            words.append(f"--trials {self.trials}")
        if self.shards > 1:
            asked.append(f"--array=0-{self.shards - 1}")
            words.append(f"--shard $SLURM_ARRAY_TASK_ID/{self.shards}")
            out = f"{shlex.quote(self.out)}_$SLURM_ARRAY_TASK_ID.h5"
        asked += [f"--cpus-per-task={self.cores}", f"--time={_clock(self.seconds)}"]
        if self.memory_bytes is not None:
            asked.append(f"--mem={math.ceil(self.memory_bytes / MEBI / 100) * 100}M")
        task = _lines([*words, f"-o {out}"])
        return f"{' '.join(asked)} \\\n  --wrap {shlex.quote(task)}"

    @property
    def merge(self) -> str | None:
        """The command that joins the shards, None where there is one alone."""
        name = shlex.quote(self.out)
        return None if self.shards == 1 else f"fastgc merge {name}_*.h5 -o {name}.h5"

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        names = "shards", "cores", "seconds", "memory_bytes", "trials", "submit", "merge"
        return {name: getattr(self, name) for name in names}


def shards_for(core_seconds: float, cores: int, blocks: Sequence[int]) -> int:
    """Return how many shards take an hour each; none of them without a block."""
    wanted = math.ceil(core_seconds / cores / TASK_SECONDS)
    return max(1, min(wanted, MOST_SHARDS, *blocks))


def limit_of(seconds: float) -> int:
    """Return a limit for what most likely takes so long: whole minutes."""
    return 60 * math.ceil((MARGIN * seconds + START_SECONDS) / 60)


def _lines(words: Sequence[str]) -> str:
    """Return a command in lines that a shell joins again."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) < LONGEST:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return " \\\n".join(lines)


def _clock(seconds: int) -> str:
    """Return a time as Slurm has it: days-hours:minutes:seconds."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours:02}:{minutes:02}:{seconds:02}"
    return f"{days}-{clock}" if days else clock
