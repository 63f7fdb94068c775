"""`fastgc.traces.record`: the seconds of each rank's own work in every step, a file a rank."""

import atexit
import contextlib
import os
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError, StorageError, public
from fastgc.latency.trace_tables import SECONDS_MARK

_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
_SHARDED = {"FSDPModule", "FullyShardedDataParallel"}


@public
def record(
    steps: Iterable[Any] = (),
    folder: str | Path = "recording",
    *,
    model: Any = None,
    rank: int | None = None,
    skip: int = 1,
) -> "Recorder":
    """Record how long this rank's own work takes in each step, before it waits for the others.

    Around a loop, with the model that PyTorch trains: ``loader = fastgc.traces.record(loader,
    model=model)``, and ``for batch in loader:`` in every epoch as before. A step's clock begins
    when the loop gets a batch. With DistributedDataParallel, or a model whose gradients are
    averaged by hand, it ends when this rank has computed its last gradient. With FSDP ranks wait
    for each other before every layer: there the seconds are those of the layers' forward passes,
    each after its parameters have come. Without a model they end with the step, which must then not
    wait for others.

    Around the work alone, with NumPy, MPI or anything else: ``with own: gradient = work(piece)``,
    where ``own = fastgc.traces.record()``, and the collective call comes after the block.

    On a GPU, CUDA events take the times, and nothing is synchronized before they are over.

    * ``steps`` (iterable): What the loop goes through.
    * ``folder`` (str or Path): Gets ``rank0.csv``, ``rank1.csv``, …; ``fastgc trace show FOLDER``
      reads them all.
    * ``model`` (torch.nn.Module, optional): The wrapped module of PyTorch.
    * ``rank`` (int, optional): By default that of torch.distributed, of mpi4py, or of the launcher.
    * ``skip`` (int): Steps at first that are not written, which compile and allocate.

    Returns
    -------
    Recorder
        To be gone through in place of ``steps``, or to be entered around the work of each.

    Raises
    ------
    FastgcError
        If this rank has a file there already.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> steps = record(range(4), folder, rank=2)
    >>> for batch in steps:
    ...     _ = sum(range(batch))
    >>> steps.close()
    >>> (folder / "rank2.csv").read_text().splitlines()[:2]
    ['# unit: seconds', 'rank2']
    """
    torch, mpi = sys.modules.get("torch.distributed"), sys.modules.get("mpi4py.MPI")
    if rank is None and torch is not None and torch.is_available() and torch.is_initialized():
        rank = int(torch.get_rank())
    elif rank is None and mpi is not None:
        rank = int(mpi.COMM_WORLD.Get_rank())
    elif rank is None:
        rank = int(next((os.environ[name] for name in _RANKS if name in os.environ), 0))
    return Recorder(steps, Path(folder), model, rank, skip)


class Recorder:
    """The own seconds of a rank: a loop over steps, or a block around the work of each."""

    def __init__(
        self, steps: Iterable[Any], folder: Path, model: Any, rank: int, skip: int
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._steps, self._skip = steps, skip
        self._file = contextlib.ExitStack()
        self._write = self._file.enter_context(opened(folder / f"rank{rank}.csv", [f"rank{rank}"]))
        self._is_on_gpu = False
        self._begin: Any = None
        self._gradient: Any = None  # the mark of the latest one
        self._passes: list[list[Any]] = []  # marks of the step's passes of sharded layers
        self._waiting: deque[list[list[Any]]] = deque()
        atexit.register(self.close)
        if model is not None:
            self._watch(model)

    def _watch(self, model: Any) -> None:
        units = {
            each
            for each in model.modules()
            if _SHARDED & {base.__name__ for base in type(each).__mro__}
        }
        for each in units:
            if units.intersection(each.modules()) == {each}:
                # the hooks of FSDP that wait for parameters are on the unit itself, and come first
                inner = getattr(each, "_fsdp_wrapped_module", each)
                inner.register_forward_pre_hook(
                    lambda *_: self._passes.append([self._mark(), None])
                )
                inner.register_forward_hook(self._passed)
        for own in model.parameters() if not units else ():
            if own.requires_grad:
                own.register_post_accumulate_grad_hook(self._has_gradient)

    def _passed(self, *_: Any) -> None:
        self._passes[-1][1] = self._mark()

    def _has_gradient(self, _: Any) -> None:
        self._gradient = self._mark()

    def _mark(self) -> Any:
        """Return now, or the event at which the GPU gets here: calls return before it does."""
        if not self._is_on_gpu:
            return time.perf_counter()
        event = sys.modules["torch"].cuda.Event(enable_timing=True)
        event.record()
        return event

    def __iter__(self) -> Iterator[Any]:
        try:
            for each in self._steps:
                with self:
                    yield each
        finally:
            self._flush()

    def __enter__(self) -> "Recorder":
        torch = sys.modules.get("torch")
        self._is_on_gpu = torch is not None and torch.cuda.is_initialized()
        self._gradient, self._passes = None, []
        self._begin = self._mark()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:  # a step that failed is no step
            return
        end = self._mark() if self._gradient is None else self._gradient
        self._skip -= 1
        if self._skip < 0:
            self._waiting.append(self._passes or [[self._begin, end]])
        while self._waiting:
            last = self._waiting[0][-1][1]
            if not isinstance(last, float) and not last.query():
                break
            self._store()

    def _store(self) -> None:
        seconds = 0.0
        for begin, end in self._waiting.popleft():
            if isinstance(begin, float):
                seconds += end - begin
            else:
                end.synchronize()
                seconds += begin.elapsed_time(end) / 1000
        try:
            self._write([seconds])
        except StorageError as problem:  # a training is worth more than its recording
            warnings.warn(f"{problem}; this rank records no more", stacklevel=2)
            self._write = lambda _: None

    def _flush(self) -> None:
        while self._waiting:
            self._store()

    def close(self) -> None:
        """Write what is left, and close the file, as happens when the program ends."""
        atexit.unregister(self.close)
        self._flush()
        self._file.close()


@contextlib.contextmanager
def opened(path: Path, names: Sequence[str]) -> Iterator[Callable[[list[float]], None]]:
    """Open a new table; yield what writes a line of it, whole or not at all."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileNotFoundError:
        raise FastgcError(f"{path}: there is no such folder; make it first") from None
    except FileExistsError:
        raise FastgcError(f"{path} is there already; name another file or remove it") from None
    except OSError as problem:
        raise FastgcError(f"{path} cannot be written: {problem.strerror}") from None
    whole = 0

    def write(cells: str) -> None:
        nonlocal whole
        line = f"{cells}\n".encode()
        try:
            if os.write(file, line) < len(line):
                raise OSError(0, "the disk is full")
        except OSError as problem:
            os.ftruncate(file, whole)  # no half of a round
            raise StorageError(
                f"{path} cannot be written ({problem.strerror}); its whole rounds are kept"
            ) from None
        whole += len(line)

    try:
        write(SECONDS_MARK)
        write(",".join(names))
        yield lambda times: write(",".join(f"{each:.9f}" for each in times))
    finally:
        os.close(file)
