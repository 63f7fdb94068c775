"""What the commands of benches share: their options, and programs that they start."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: What a process runs that is to be the command ``fastgc``.
FASTGC = "from fastgc.cli.main import main; main()"
SHARED: dict[str, dict[str, Any]] = {
    "--check": {"action": "store_true", "help": "exit 1 below a floor"},
    "--folder": {"type": Path, "help": "where files are written"},
    "--json": {"type": Path, "metavar": "FILE", "help": "write all that was measured"},
    "--only": {"default": "", "help": "situations whose name has this"},
    "--quick": {"action": "store_true", "help": "tiny: shows only that everything runs"},
    "--seed": {"type": int, "default": 1},
    "--workers": {"type": int, "default": os.cpu_count(), "help": "processes"},
}


def parse(
    name: str, doc: str | None, arguments: Sequence[str] | None, *shared: str, **own: Any
) -> argparse.Namespace:
    """Parse the arguments of ``python -m NAME``, None for those of this process.

    ``doc``: docstring of the command's module; ``*shared``: options of `SHARED`; ``**own``: other
    options, and positional arguments, whose names end in "_": what
    `argparse.ArgumentParser.add_argument` takes; a default, which has the option's type; or the
    choices of an option that can be repeated. ``out`` is ``-o``, too.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=doc)
    for flag in shared:
        parser.add_argument(flag, **SHARED[flag])
    for key, given in own.items():
        flags = [key[:-1] if key.endswith("_") else f"--{key.replace('_', '-')}"]
        flags += ["-o"] * (key == "out")
        if isinstance(given, Mapping) and {"action", "help", "nargs", "type"} & given.keys():
            parser.add_argument(*flags, **given)
        elif isinstance(given, str | int | float):
            parser.add_argument(*flags, type=type(given), default=given)
        else:
            choices = tuple(given)
            parser.add_argument(*flags, action="append", choices=choices, help="can be repeated")
    return parser.parse_args(arguments)


def write(file: Path | None, found: Any) -> None:
    """Write what was found as JSON, where a file is named."""
    if file is not None:
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def started(
    words: Sequence[str], folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with these words and this process's packages; an error where it fails."""
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr}")
    return done
