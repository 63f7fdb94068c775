"""Raw samples of shards, made those of a merged file without being read."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fastgc.errors import StorageError
from fastgc.registry.complaints import one_line
from fastgc.results import beside
from fastgc.results.image import make, sync
from fastgc.results.merged import Merger
from fastgc.results.stored import Piece, Segment


def linked(
    out: Path, merger: Merger, unit: int, block: int, segments: Mapping[int, list[Segment]]
) -> tuple[list[Segment], dict[Path, Path]]:
    """Return a unit's segments as those of a merged file, and what each of these is to link to.

    Parameters
    ----------
    out : Path
        The merged file.
    merger : Merger
        What it is merged from.
    unit : int
        The unit's number.
    block : int
        Trials in a block.
    segments : mapping
        By shard, the unit's segments.
    """
    weave = merger.interleaving(unit)
    folder = beside.samples_of(out)
    found, links = [], {}
    for part in merger.parts:
        first = 0
        for segment in segments[part.shard]:
            # these trials of this shard, whatever it is merged with: the file can be linked again
            place = f"{part.shard}of{merger.shards}"
            target = folder / f"{unit}-{first}-{segment.trials}-{place}.h5"
            pieces: tuple[Piece, ...] = ()
            if not segment.partial and len(merger.parts) > 1:
                runs = weave.runs(part.shard, first // block, segment.trials // block)
                pieces = tuple(
                    Piece(start * block, every * block, count, block)
                    for start, every, count in runs
                )
            links[target] = Path(part.file).parent / segment.file
            found.append(replace(segment, file=f"{folder.name}/{target.name}", pieces=pieces))
            first += segment.trials
    return sorted(found, key=lambda segment: segment.partial), links


def link(links: Mapping[Path, Path]) -> None:
    """Give files second names, in another folder too; on another disk, copy them.

    Parameters
    ----------
    links : mapping
        By its new name, the file; all new names are in one folder.

    Raises
    ------
    StorageError
        If that cannot be done.
    """
    target = None
    try:
        for target, source in links.items():
            make(target.parent)
            _link(source, target)
        if target is not None:
            sync(target.parent)  # before a file of results refers to them
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{one_line(str(target))}: cannot be written ({reason})") from None


def _link(source: Path, target: Path) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        try:
            os.link(source, temporary)
        except OSError:  # another disk, or one that knows no links
            _copy(source, temporary)
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):  # it stays where target was this file already
            temporary.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
