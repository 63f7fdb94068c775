"""Shards, read one by one: what is not one of the same run is refused with the difference."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import one_line
from fastgc.results import image, segments, store
from fastgc.results.stored import StoredRun, StoredUnit
from fastgc.version import STREAM_VERSION

LONGEST = 40


def shard_from(file: Path) -> StoredRun:
    """Read one shard.

    Raises
    ------
    FastgcError
        If there is no such file, it cannot be read, it is not complete or not a shard, or its raw
        samples are missing.
    """
    name = one_line(str(file))
    partial = image.partial_of(file)
    remedy = "run its command again, which goes on"
    if os.path.exists(partial) and not os.path.exists(file):  # these take any name
        raise FastgcError(f"{name}: is not complete, there is only {partial.name}; {remedy}")
    run = store.load(file)
    if not run.study:
        raise FastgcError(
            f"{name}: holds verdicts of a validation, no shard of a run; leave it out"
        )
    if run.merged is not None:
        raise FastgcError(f"{name}: was merged itself; name the shards it was merged from")
    if not run.complete:
        own, shards = run.shard
        raise FastgcError(f"{name}: shard {own}/{shards} is not complete; {remedy}")
    found = run.provenance.get("stream_version")
    if found != STREAM_VERSION:
        raise FastgcError(
            f"{name}: was sampled with stream version {found}, this fastgc has {STREAM_VERSION}; "
            "merge it with the fastgc that sampled it"
        )
    for unit in run.units:
        segments.refuse_gaps(file, unit)
    return run


def why_not_of_one_run(
    file: Path, run: StoredRun, first_file: Path, first: StoredRun
) -> str | None:
    """Why two shards are not of one run, in one sentence; None where they are."""
    name, other = one_line(str(file)), one_line(str(first_file))
    if run.identity != first.identity:
        where, mine, theirs = _difference(run.identified(), first.identified())
        where = _told(where, run.identified())
        return (
            f"{name}: is of another study or seed than {other}: {where} is {mine}, there {theirs}; "
            "leave one of the two out"
        )
    (own, shards), (_, of) = run.shard, first.shard
    if shards != of:
        return (
            f"{name}: is shard {own}/{shards}, {other} is one of {of}; merge shards of one run, "
            "all with the same N"
        )
    if [_form(unit) for unit in run.units] != [_form(unit) for unit in first.units]:
        return (
            f'{name}: sampled other points than {other}, for method "auto" chose other methods for '
            "other trials; run both with the same trials"
        )
    return None


def _form(unit: StoredUnit) -> tuple[object, ...]:
    return unit.key, unit.block, unit.tally.shape


def _difference(a: Any, b: Any, where: str = "") -> tuple[str, str, str]:
    """Return where two different values from JSON first differ, and what stands there."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if key not in a or key not in b:
                mine, theirs = (_short(of[key]) if key in of else "not given" for of in (a, b))
                return f"{where}.{key}".lstrip("."), mine, theirs
            if a[key] != b[key]:
                return _difference(a[key], b[key], f"{where}.{key}".lstrip("."))
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return f"the number of {where}", str(len(a)), str(len(b))
        for place, (mine, theirs) in enumerate(zip(a, b, strict=True)):
            if mine != theirs:
                return _difference(mine, theirs, f"{where}[{place}]")
    return where, _short(a), _short(b)


def _told(where: str, identity: Any) -> str:
    """Return a place in an identity as people know it: a point's by its experiment."""
    for place, point in enumerate(identity["points"]):
        before, found, key = where.partition(f"points[{place}].table.")
        if found:
            return f"{before}{point['experiment']}'s {key}"
    return where


def _short(value: Any) -> str:
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
