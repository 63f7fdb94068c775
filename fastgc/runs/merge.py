"""``fastgc.merge``: the shards of a run, made one file as one process would have written it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fastgc.errors import FastgcError, MistakesError, StorageError
from fastgc.registry.complaints import one_line
from fastgc.results import image, lock, sample_files, store
from fastgc.results.rows import Result
from fastgc.results.stored import Merger, StoredRun, named
from fastgc.runs.gathering import Gathered, Step, gather
from fastgc.runs.plan import Plan, rules_of
from fastgc.runs.precision import Reached, precision_of, reached
from fastgc.study.study import Study


@dataclass(frozen=True, repr=False)
class Merged(Result):
    """The numbers of a merged run.

    Attributes
    ----------
    precision : list of Reached
        For each sampled point, how far it is from the precision that the study asks for; empty
        where it asks for none.
    missing : list of int
        Shards that it was merged without.
    """

    precision: list[Reached] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)


def merge(
    shards: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    partial: bool = False,
    progress: Callable[[Step], None] | None = None,
) -> Merged:
    """Merge the shards of a run into one file, equal to that of one process with the same trials.

    Parameters
    ----------
    shards : sequence of str or Path
        The files of all shards, in any order: of ``fastgc.run(study, shard=(i, N), out=…)`` for
        i = 0 … N − 1, with the same trials. They stay as they are.
    out : str or Path
        The merged file. `fastgc.run` goes on from it. Raw samples that the shards keep get a second
        name beside it (a hard link), or are copied where it lies on another disk.
    partial : bool
        Merge also where shards are missing or shorter than others; every row then says so, and the
        file cannot be gone on with.
    progress : callable, optional
        Called with a `fastgc.runs.gathering.Step` before each shard is read.

    Returns
    -------
    Merged
        Rows and estimates, and how far they are from the precision that the study asks for, which
        stops no shard.

    Raises
    ------
    FastgcError
        For every file that is not a complete shard of the same run as the first, with the
        difference; for shards that are missing, named twice or shorter than others; for an ``out``
        that holds something else. Nothing is written then.
    StorageError
        If it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import fastgc
    >>> study = {
    ...     "code": {"family": "frc", "n": 8, "d": 2},
    ...     "stragglers": {"model": "iid", "p": 0.1},
    ...     "method": "monte-carlo",
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [f"{folder}/{i}.h5" for i in range(2)]
    ...     for i in range(2):
    ...         _ = fastgc.run(study, shard=(i, 2), out=files[i], trials=100_000)
    ...     merged = fastgc.merge(files, f"{folder}/all.h5")
    >>> merged.rows() == fastgc.run(study, trials=100_000).rows()
    True
    """
    files = [Path(shards)] if isinstance(shards, str | Path) else [Path(each) for each in shards]
    if not files:
        raise FastgcError("shards: name at least one file")
    path = Path(out)
    with lock.writing(path):
        gathered = gather(files, progress)
        merger = gathered.merger()
        if not partial:
            _refuse_gaps(merger, gathered)
        _refuse_incomplete_blocks(merger, gathered)
        run, links = gathered.run(path, merger)
        _refuse_to_replace(path, files, run)
        return _written(path, run, merger, links)


def _refuse_gaps(merger: Merger, gathered: Gathered) -> None:
    """Raise an error if shards are missing, or some have less than their share of the trials."""
    accept = "or accept that with --partial (partial=True)"
    complaints = []
    if merger.missing:
        lacks = named(merger.missing, merger.shards)
        are, them = ("is", "it") if len(merger.missing) == 1 else ("are", "them")
        complaints.append(f"{lacks} {are} missing; run and name {them}, {accept}")
    short = merger.short()
    most = max(gathered.trials.values())
    for part in merger.parts:
        if part.shard in short:
            unit = short[part.shard]
            trials = part.done[unit] * gathered.units[unit].block + part.rest[unit]
            again = "" if gathered.trials[part.shard] == most else f" with --trials {most}"
            complaints.append(
                f"{one_line(part.file)}: has {trials} trials of {gathered.name(unit)}, less than "
                f"its share of what others have; run its command again{again}, {accept}"
            )
    if complaints:
        raise MistakesError(complaints)


def _refuse_incomplete_blocks(merger: Merger, gathered: Gathered) -> None:
    """Raise an error if there is more than one: a file has room for the last one only."""
    for unit in range(len(gathered.units)):
        begun = [one_line(part.file) for part in merger.parts if part.rest[unit]]
        if len(begun) > 1:
            raise FastgcError(
                f"{begun[0]}: ends in an incomplete block of {gathered.name(unit)}, and so does "
                f"{begun[1]}; run them again with the same trials, of which one can end so"
            )


def _refuse_to_replace(path: Path, files: Sequence[Path], run: StoredRun) -> None:
    """Raise an error if the merged file would take the place of more than it holds."""
    name = one_line(str(path))
    unfinished = image.partial_of(path)
    if unfinished.exists():
        raise FastgcError(
            f"{one_line(str(unfinished))}: is an unfinished run of the same name; go on with its "
            "command, remove it, or name another file"
        )
    if not path.exists():
        return
    remedy = "name another file or remove it"
    if any(path.samefile(file) for file in files):
        raise FastgcError(f"{name}: is one of the shards; name another file")
    before = store.load(path)
    if before.identity != run.identity or not before.study:
        raise FastgcError(f"{name}: holds another study or seed; {remedy}")
    if before.shard != run.shard:
        own, shards = before.shard
        raise FastgcError(f"{name}: holds shard {own}/{shards}; {remedy}")
    if [unit.key for unit in before.units] != [unit.key for unit in run.units]:
        raise FastgcError(f"{name}: holds samples of other points; {remedy}")
    for mine, new in zip(before.units, run.units, strict=True):
        if mine.trials > new.trials:
            raise FastgcError(
                f"{name}: holds {mine.trials} trials, the shards together {new.trials}; {remedy}"
            )
        if mine.segments and not new.segments:
            raise FastgcError(f"{name}: holds raw samples, the shards have none; {remedy}")


def _written(path: Path, run: StoredRun, merger: Merger, links: dict[Path, Path]) -> Merged:
    """Add the rows, write the file, and return what it says."""
    study = Study.parse(run.asked())
    known = {unit.key: unit for unit in run.units}
    plan = Plan.of(study, known)
    if [unit.key for unit in plan.units] != list(known):
        name = one_line(merger.parts[0].file)
        raise FastgcError(f"{name}: its study and its tallies do not fit; sample it again")
    entries = [
        row.noting(merger.note) for row in plan.rows([unit.among(known) for unit in plan.units])
    ]
    run.rows = [row.as_dict() for row in entries]
    run.samples = plan.places()
    sample_files.remove_temporary_files(path)
    try:
        sample_files.link(links)
        store.save(path, run)
    except StorageError as error:
        raise StorageError(f"{error}; the shards are as they were: merge them again") from None
    sample_files.remove_temporary_files(path)
    rule = precision_of(study.stop)
    pairs = zip(plan.units, run.units, strict=True)
    return Merged(
        entries=entries,
        title=study.title,
        stopped_by=rules_of(run.units),
        path=path,
        precision=[] if rule is None else [reached(u, s.total(), rule) for u, s in pairs],
        missing=merger.missing,
    )
