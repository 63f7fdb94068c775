"""Where blocks are run: executors by the names that users give them; all names stand here."""

from collections.abc import Sequence

THREADS, PROCESSES, MPI, DASK = "threads", "processes", "mpi", "dask"
NAMES = (THREADS, PROCESSES, MPI, DASK, f"{DASK}:ADDRESS")


def listed_names(names: Sequence[str] = NAMES) -> str:
    """Return names as a sentence has them: "threads, processes, mpi, dask or dask:ADDRESS"."""
    return f"{', '.join(names[:-1])} or {names[-1]}"
