"""The search for the best encoding matrix: ``fastgc search``."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Unpack

from fastgc.engine.executors.surroundings import available_cores
from fastgc.errors import MistakesError, public
from fastgc.registry.activity import Step, never
from fastgc.registry.complaints import check, lines
from fastgc.registry.given import plain
from fastgc.searching.problem import SearchKeys, SearchTable
from fastgc.searching.search import MatrixSearch
from fastgc.searching.search_result import SearchResult, checked
from fastgc.study.source import Source


@public
def search(
    source: Mapping[str, Any] | str | Path | None = None,
    *,
    out: str | Path | None = None,
    threads: int | None = None,
    progress: Callable[[Step], None] | None = None,
    interrupted: Callable[[], str | None] | None = None,
    **keys: Unpack[SearchKeys],
) -> SearchResult:
    """Look for an encoding matrix that is better than every 0/1 family that fastgc knows.

    Families that fit, codes of groups and uneven repetition are judged first; the best of them and
    random structures are then changed entry by entry. The same seed and steps give the same matrix
    on any machine.

    Parameters
    ----------
    source : dict, str or Path, optional
        The table ``[search]`` or a study that holds it: ``n``, ``k``, ``d``, ``p`` or ``s``,
        ``goal``, ``seed``, ``steps``, ``seconds``.
    out : str or Path, optional
        Where the matrix goes: csv or npy. A certificate (json) and a study that repeats
        the search (search.toml) are put beside it.
    threads : int, optional
        Threads; by default all cores this process may use. They change no bit of the result.
    progress : callable, optional
        Called with a `Step` now and then, which names the best so far.
    interrupted : callable, optional
        Asked often, also by other threads; a text that it returns ends the search early, with the
        best so far, and is what its certificate says of how it ended.
    **keys
        Keys of the table, in place of those of ``source``.

    Returns
    -------
    SearchResult
        ``matrix``, float64 array (k, n); ``value``; ``certificate``, plain data.

    Raises
    ------
    FastgcError
        If a key is wrong or no matrix fits.
    StoppedError
        If the search was asked to stop before the families were judged.

    Examples
    --------
    >>> found = search(n=6, d=2, p=0.1, steps=100)
    >>> found.certificate["by"], found.certificate["exact"], round(found.value, 9)
    ('frc n=6 d=2', '3/50', 0.06)
    """
    own = {} if source is None else Source.of(source).data
    own = own["search"] if isinstance(own.get("search"), dict) else own
    data, complaints = plain({**own, **keys})
    wanted, wrong = (None, []) if complaints else check(SearchTable, data)
    if wanted is None:
        raise MistakesError([f"search: {line}" for line in lines(complaints + wrong)])
    if out is not None:
        checked(out)
    with ThreadPoolExecutor(available_cores(threads)) as pool:
        found = MatrixSearch(wanted, pool, progress, interrupted or never).found()
    if out is not None:
        found.save(out)
    return found
