"""Whether another processor gives the same rows, bit by bit: ``python -m bench.bits OUT.json``.

    python -m bench.bits here.json
    python -m bench.bits plain.json --plain --against here.json

The studies of ``bits.toml`` take every method for a number, and are small; members that they do not
name have their own (`fastgc.study.examples`). Written are the numbers of each row to the last bit,
and what the digests of all blocks of trials hash to; ``--against`` names what differs from an
earlier file.

``--plain`` runs them as a processor of 2008 would: NumPy, LAPACK, Numba and the C library choose
functions by the registers that a processor has, and are kept from the later ones.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastgc
from bench import command
from bench.fingerprint import block_digests
from fastgc.study.examples import examples

STUDY = Path(__file__).with_suffix(".toml")
NUMBERS = ("value", "standard_error", "low", "high", "theory")
#: What says which row it is.
NAMES = ("experiment", "point", "quantity", "statistic", "index", "method")


def plain() -> dict[str, str]:
    """What the environment has to say so that nothing goes by the registers of this processor."""
    try:
        from numpy._core._multiarray_umath import __cpu_dispatch__ as dispatched
    except ImportError:  # NumPy 1
        from numpy.core._multiarray_umath import __cpu_dispatch__ as dispatched

    return {
        # "X86_V3" of one version of NumPy is "AVX2 FMA3" of another: it knows its own names
        "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched),
        "OPENBLAS_CORETYPE": "Nehalem",
        "NUMBA_CPU_NAME": "nehalem",
        "NUMBA_CPU_FEATURES": "",  # else this processor's, whatever the name
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-AVX512F",
    }


def unnamed_members() -> list[str]:
    """Studies of members that ``bits.toml`` does not name."""
    named = STUDY.read_text(encoding="utf-8")
    return [
        text.replace("]]", f']]\nname = "{name}"', 1)
        for name, text in examples().items()
        if (word := f'"{name.split()[-1]}"') in text and word not in named
    ]


def bits() -> dict[str, Any]:
    """Numbers of all rows, in hexadecimal, and the digests of what was sampled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bits.h5"
        rows = fastgc.run(STUDY, out=path).rows()
        found: dict[str, Any] = {"digests": block_digests(path)}
    for text in unnamed_members():
        rows += fastgc.run(tomllib.loads(text), trials=600).rows()
    for row in rows:
        name = json.dumps([row[key] for key in NAMES])
        assert name not in found, name
        found[name] = {
            key: float(row[key]).hex() for key in NUMBERS if isinstance(row[key], (int, float))
        }
    return found


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """A line for every row of which a bit differs, or that only one of the two has."""
    lines = []
    for name in dict.fromkeys([*before, *now]):
        if name not in before or name not in now:
            lines.append(f"{name}: only {'before' if name in before else 'now'}")
        elif before[name] != now[name]:
            pair = before[name], now[name]
            keys = () if name == "digests" else sorted({*pair[0], *pair[1]})
            said = [
                f"{key} {pair[0].get(key)}, now {pair[1].get(key)}"
                for key in keys
                if pair[0].get(key) != pair[1].get(key)
            ]
            lines.append(f"{name}: {'; '.join(said) or 'blocks of trials differ'}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the bits; 1 if they differ from those of an earlier file."""
    options = command.parse(
        "bench.bits",
        __doc__,
        arguments,
        out_={"type": Path},
        against={"type": Path, "help": "an earlier file, to be compared with"},
        plain={"action": "store_true", "help": "as a processor of 2008 would"},
    )
    if options.plain:  # the libraries look at the environment when they are loaded
        words = [sys.executable, "-m", "bench.bits", str(options.out)]
        if options.against:
            words += ["--against", str(options.against)]
        return subprocess.run(words, env=os.environ | plain()).returncode
    found = bits()
    command.write(options.out, found)
    if options.against is None:
        return 0
    before = json.loads(options.against.read_text(encoding="utf-8"))
    differing = differences(before, found)
    print(*differing, f"{len(differing)} of {len(found)} rows differ", sep="\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
