"""All schemes on processes and on ranks of MPI.

``mpiexec -n 7 python -m bench.measuring.carriers ROUNDS SEED NAMES`` is one rank: the first prints.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import fastgc
from bench.measuring.schemes import MOST, study
from fastgc.errors import FastgcError
from fastgc.measuring.ranks import leading
from fastgc.results.measurements import Measurement

#: A decoding error with which the gradient must be the whole one.
EXACT = 1e-9


def row(name: str, executor: str, rounds: int, seed: int) -> dict[str, Any]:
    """Run a scheme; return what is told of it, or the sentence that refuses it."""
    head = {"scheme": name, "carrier": executor}
    try:
        return head | figures(fastgc.measure(study(name, rounds, seed), executor=executor))
    except FastgcError as refusal:
        return head | {"refused": str(refusal).splitlines()[0]}


def figures(found: Measurement) -> dict[str, Any]:
    """Return how far rounds are from their predictions, gradients from true ones; and verdicts."""
    own = found.arrays
    off = np.abs(found.measured - found.predicted)
    exact = own["decoding_error"] <= EXACT
    return {
        "off_ms": 1e3 * float(np.median(off)),
        "off_percent": 100 * float(np.median(off / found.measured)),
        "late_as_predicted": float((own["used"] == own["predicted_used"]).all(axis=1).mean()),
        "gradient_error": float(np.sqrt(np.nanmax(own["gradient_error"][exact], initial=0.0))),
        "exact_rounds": int(exact.sum()),
        "own_ms": 1e3 * float(np.nanmedian(own["own"])),
        "carrying_ms": 1e3 * float(np.median(own["over"] - own["predicted"])),
        "decoding_ms": 1e3 * float(np.median(own["measured"] - own["over"])),
        "verdicts": {each["comparison"]: each["verdict"] for each in found.verdicts},
    }


def rows(executor: str, names: Sequence[str], rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    """Run schemes on a carrier."""
    if executor == "processes":
        yield from (row(name, executor, rounds, seed) for name in names)
    else:
        beside = Path(sys.executable).with_name("mpiexec")  # that of the installed mpi4py
        program = str(beside) if beside.exists() else "mpiexec"
        words = ["-n", str(MOST + 1), sys.executable, "-m", "bench.measuring.carriers"]
        asked = [program, *words, str(rounds), str(seed), json.dumps(names)]
        done = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True)
        yield from (json.loads(each) for each in done.stdout.splitlines() if each[:1] == "{")


if __name__ == "__main__":
    for each in json.loads(sys.argv[3]):
        with leading() as leads:
            if leads:
                print(json.dumps(row(each, "mpi", int(sys.argv[1]), int(sys.argv[2]))), flush=True)
