"""What all packaged studies and claims give, as hashes: ``python -m bench.fingerprint OUT.json``.

A change that should move no number is proved by it: made before and after, two files must agree.

    python -m bench.fingerprint before.json
    git switch …
    python -m bench.fingerprint after.json --against before.json

It uses what every version has: the packaged studies, ``fastgc.run``, ``fastgc.validate``, the list
of claims, and the files of results as plain HDF5. Rows and verdicts are hashed as JSON without
their notes; tallies by the digests of their blocks.
"""

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import fastgc
from bench import command
from fastgc import theory

#: Few: a partial block of most points, some blocks of the dearest.
TRIALS = 1_000
#: What verdicts are weighed on; few enough that most equalities stay undecided.
TRIALS_OF_CLAIMS = 20_000
OF_A_VERDICT = ("relation", "theory", "value", "standard_error", "verdict", "expected", "point")


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _studies() -> list[str]:
    packaged = Path(fastgc.__file__).parent / "study" / "packaged"
    paths = [path for path in packaged.rglob("*.toml") if "{" not in path.name]
    return sorted("/".join(path.with_suffix("").parts[-2:]) for path in paths)


def _numbers(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without notes and empty values, in an order of their own."""
    bare = [
        {key: row[key] for key in row if key != "note" and row[key] is not None} for row in rows
    ]
    return sorted(bare, key=lambda row: json.dumps(row, sort_keys=True))


def block_digests(path: Path) -> list[str]:
    """Hash of every dataset of block digests in a file, sorted."""
    found: list[str] = []

    def look(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and name.endswith("digests"):
            found.append(hashlib.sha256(np.asarray(item[()]).tobytes()).hexdigest()[:16])

    with h5py.File(path, "r", locking=False) as file:
        file.visititems(look)
    return sorted(found)


def study(name: str, folder: Path) -> dict[str, str]:
    """Hashes of a packaged study's rows and of its blocks."""
    path = folder / f"{name.replace('/', '-')}.h5"
    result = fastgc.run(name, out=path, trials=TRIALS)
    return {"rows": _hash(_numbers(result.rows())), "digests": _hash(block_digests(path))}


def paper(name: str) -> dict[str, str]:
    """Hashes of a paper's verdicts, by claim."""
    verdicts = fastgc.validate(paper=name, trials=TRIALS_OF_CLAIMS)
    return {
        verdict.claim: _hash([repr(getattr(verdict, name)) for name in OF_A_VERDICT])
        for verdict in verdicts
    }


def collect(*, with_verdicts: bool) -> dict[str, Any]:
    """Fingerprints of studies and claims, and of verdicts, which take longest."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in _studies():
            print(f"study {name}", file=sys.stderr)
            found[f"study {name}"] = study(name, Path(folder))
    for claim in theory.claims():
        said = claim.paper, claim.statement, claim.citation, claim.relation, claim.expected
        found[f"claim {claim.id}"] = _hash([said, [str(vars(case)) for case in claim.cases]])
    for name in theory.paper_names() if with_verdicts else ():
        print(f"verdicts of {name}", file=sys.stderr)
        found |= {f"verdict {claim}": said for claim, said in paper(name).items()}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the fingerprints; 1 if they differ from those of another version."""
    options = command.parse(
        "bench.fingerprint",
        __doc__,
        arguments,
        out_={"type": Path},
        against={"type": Path, "help": "an earlier file, to be compared with"},
        without_verdicts={"action": "store_true"},
    )
    found = collect(with_verdicts=not options.without_verdicts)
    command.write(options.out, found)
    if options.against is None:
        return 0
    before = json.loads(options.against.read_text(encoding="utf-8"))
    names = sorted(before.keys() | found.keys())
    differing = [name for name in names if before.get(name) != found.get(name)]
    for name in differing:
        print(f"{name}: before {before.get(name)}, now {found.get(name)}")
    print(f"{len(names) - len(differing)} of {len(names)} agree")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
