"""The register of claims, frozen: what fastgc claims in a release, and what has changed since.

Numbers are kept to twelve digits, so that the same register has the same hashes on every machine.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from fastgc.errors import FastgcError
from fastgc.report.export import write as write_file
from fastgc.study.claims import papers
from fastgc.theory.papers.claim import Claim
from fastgc.validation import own
from fastgc.version import __version__

#: What the register is called until it is next frozen.
MONTH = "2026.12"
#: Why claims were corrected or withdrawn: a JSON object from ids to sentences, beside the papers.
REASONS = "changes.json"
_KEYS = (
    *("id", "statement", "citation", "source", "category", "relation", "holds", "expected", "kind"),
    *("corrects", "proof"),
)


class Changes(NamedTuple):
    """What differs from a frozen register; each with why."""

    added: list[str]
    corrected: dict[str, str]
    withdrawn: dict[str, str]
    unexplained: list[str]


def freeze(claims: Sequence[Claim] | None = None, month: str = MONTH) -> dict[str, Any]:
    """Return the register as plain data: each claim with its theories and cases, and its hash.

    ``claims`` (sequence of Claim): by default all that come with fastgc. ``month``: what the
    register is called, like "2026.12".

    >>> [frozen] = freeze(papers.field()["tandon"].claims[:1], "2026.12")["claims"]
    >>> frozen["expected"], len(frozen["hash"])
    ('confirmed', 64)
    """
    found = [_frozen(claim) for claim in (papers.register() if claims is None else claims)]
    return {
        "register": month,
        "fastgc": __version__,
        "hash": _hash([each["hash"] for each in found]),
        "claims": found,
    }


def _frozen(claim: Claim) -> dict[str, Any]:
    content = _rounded(own.content(claim))
    cases = [
        {"point": case["point"], "theory": case["said"][0], "hash": _hash(case)}
        for case in content["cases"]
    ]
    said = {key: getattr(claim, key) for key in _KEYS} | {"group": papers.group_of(claim)}
    return said | {"cases": cases, "hash": _hash([said, content])}


def write(folder: Path, frozen: Mapping[str, Any]) -> Path:
    """Write ``claims-MONTH.json``, a line a claim; a frozen register is never changed.

    Raises FastgcError if there is such a file with another content. Raises StorageError if it
    cannot be written.
    """
    path = folder / f"claims-{frozen['register']}.json"
    head = {key: value for key, value in frozen.items() if key != "claims"}
    lines = ",\n".join(json.dumps(each, sort_keys=True) for each in frozen["claims"])
    text = f'{json.dumps(head, sort_keys=True)[:-1]}, "claims": [\n{lines}\n]}}\n'
    if path.exists() and read(path)["hash"] != frozen["hash"]:
        raise FastgcError(
            f"{path}: is there with another content, and what is frozen stays; name another month"
        )
    write_file(path, text.encode())
    return path


def read(path: Path) -> dict[str, Any]:
    """Return a frozen register.

    Raises FastgcError if the file is none, or has been changed.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        hashes = [each["hash"] for each in found["claims"]]
        sound = found["hash"] == _hash(hashes) and all(each["id"] for each in found["claims"])
    except OSError as problem:
        raise FastgcError(f"{path}: cannot be read ({problem.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise FastgcError(f"{path}: is no register that `fastgc claims --freeze` wrote") from None
    if not sound:
        raise FastgcError(f"{path}: has been changed; its hashes do not fit its claims")
    return found


def compare(
    before: Mapping[str, Any], now: Mapping[str, Any], reasons: Mapping[str, str] | None = None
) -> Changes:
    """Say what of a frozen register has been added, corrected and withdrawn, and why.

    ``reasons``: why, by id; by default those that come with fastgc. ``unexplained`` are ids that
    were corrected or withdrawn without one.
    """
    reasons = known_reasons() if reasons is None else reasons
    old = {each["id"]: each for each in before["claims"]}
    new = {each["id"]: each for each in now["claims"]}
    why: Callable[[str, str], str] = partial(_why, reasons)
    corrected = {
        name: why(name, _differences(old[name], new[name]))
        for name in new
        if name in old and old[name]["hash"] != new[name]["hash"]
    }
    withdrawn = {name: why(name, "") for name in old if name not in new}
    unexplained = [name for name in (*corrected, *withdrawn) if name not in reasons]
    return Changes([name for name in new if name not in old], corrected, withdrawn, unexplained)


def known_reasons() -> dict[str, str]:
    """Return why claims of earlier registers were corrected or withdrawn, by id."""
    found: dict[str, str] = json.loads(papers.folder().joinpath(REASONS).read_text("utf-8"))
    return found


def _why(reasons: Mapping[str, str], name: str, differs: str) -> str:
    said = reasons.get(name, "no reason is given")
    return f"{differs}: {said}" if differs else said


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    keys = [key for key in (*_KEYS, "group") if old.get(key) != new.get(key)]
    if [each["theory"] for each in old["cases"]] != [each["theory"] for each in new["cases"]]:
        keys.append("theory")
    elif [each["hash"] for each in old["cases"]] != [each["hash"] for each in new["cases"]]:
        keys.append("experiments")
    return ", ".join(keys) or "other keys"


def _rounded(item: Any) -> Any:
    if isinstance(item, Mapping):
        return {str(key): _rounded(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_rounded(value) for value in item]
    return float(f"{item:.12g}") if isinstance(item, float) else item


def _hash(item: Any) -> str:
    text = json.dumps(item, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
