"""``fastgc.traces.record``: a file a rank, of its own work: on threads, a feigned GPU, gloo."""

import contextlib
import sys
import threading
import time
import types

import numpy as np
import pytest

import fastgc
from fastgc.latency.traces import read
from suite.checks import refusal

WORK = 0.002  # seconds that rank 0 works in a step; rank 1 takes three times as long


def seconds_of(folder, rank):
    return np.loadtxt(folder / f"rank{rank}.csv", skiprows=2, ndmin=1)


def test_ranks_that_wait_for_each_other_record_their_own_work(tmp_path):
    together = threading.Barrier(2)

    def rank(number):
        own = fastgc.traces.record(folder=tmp_path / "r", rank=number, skip=2)
        for _ in range(6):
            with own:
                time.sleep(WORK * (1 + 2 * number))
            together.wait()
        own.close()

    threads = [threading.Thread(target=rank, args=[number]) for number in (0, 1)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    found = read(tmp_path / "r")
    assert found.workers == ("rank0", "rank1") and found.unit == "seconds"
    assert found.rows.shape == (4, 2) and (found.rows.min(axis=0) >= [WORK, 3 * WORK]).all()
    assert found.rows[:, 1].tolist() == seconds_of(tmp_path / "r", 1).tolist()


def test_a_loop_is_recorded_up_to_a_step_that_fails(tmp_path):
    steps = fastgc.traces.record(range(5), tmp_path, rank=7)
    with contextlib.closing(steps), pytest.raises(ZeroDivisionError):
        for each in steps:
            1 / (3 - each)
    assert len(seconds_of(tmp_path, 7)) == 2  # of 0, 1, 2, without the first
    again = fastgc.traces.record(range(3), tmp_path, rank=8)
    with contextlib.closing(again):
        assert list(again) == list(again) == [0, 1, 2] and len(seconds_of(tmp_path, 8)) == 5
    assert "is there already" in refusal(fastgc.traces.record, (), tmp_path, rank=7)


def test_the_rank_is_that_of_the_launcher(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_PROCID", "3")
    fastgc.traces.record((), tmp_path).close()
    assert (tmp_path / "rank3.csv").read_text() == "# unit: seconds\nrank3\n"


def test_a_full_disk_ends_the_recording_and_not_the_training(tmp_path, monkeypatch):
    own = fastgc.traces.record(range(4), tmp_path, rank=0, skip=0)
    monkeypatch.setattr("os.write", lambda *_: 0)
    with contextlib.closing(own), pytest.warns(UserWarning, match="this rank records no more"):
        assert list(own) == [0, 1, 2, 3]
    assert (tmp_path / "rank0.csv").read_text() == "# unit: seconds\nrank0\n"


class GpuEvent:
    """An event of a GPU that gets to it a second after the call, or as soon as it is waited for."""

    now = 0.0

    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        GpuEvent.now += 1.0
        self.at = GpuEvent.now

    def query(self):
        return False

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return 1000 * (end.at - self.at)


def test_a_gpu_is_not_waited_for_before_the_end(tmp_path, monkeypatch):
    cuda = types.SimpleNamespace(is_initialized=lambda: True, Event=GpuEvent)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(GpuEvent, "now", 0.0)
    hooks = []
    weight = types.SimpleNamespace(
        requires_grad=True, register_post_accumulate_grad_hook=hooks.append
    )
    model = types.SimpleNamespace(modules=lambda: [], parameters=lambda: [weight, weight])
    steps = fastgc.traces.record(range(3), tmp_path, model=model, rank=0)
    for _ in steps:
        for hook in hooks:
            hook(weight)
        assert not len((tmp_path / "rank0.csv").read_text().splitlines()[2:])
    steps.close()
    assert seconds_of(tmp_path, 0).tolist() == [2.0, 2.0]  # to the second gradient


def train(rank, kind, folder):
    """Train two steps with a layer in which rank 1 works three times as long."""
    import torch
    from torch import distributed, nn

    torch.set_num_threads(1)
    meeting = f"file://{folder}/meeting"
    distributed.init_process_group("gloo", meeting, rank=rank, world_size=2)

    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            time.sleep(0.02 * (1 + 2 * rank))
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            return Slow.forward(ctx, gradient)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 1)

        def forward(self, x):
            return self.second(Slow.apply(self.first(x)))

    if kind == "ddp":
        model = nn.parallel.DistributedDataParallel(Net())
    else:
        from torch.distributed.fsdp import fully_shard

        model = fully_shard(Net(), mesh=distributed.device_mesh.init_device_mesh("cpu", (2,)))
    for x in fastgc.traces.record([torch.ones(2, 4)] * 6, folder, model=model):
        model(x).sum().backward()
    distributed.destroy_process_group()


@pytest.mark.night
@pytest.mark.parametrize(("kind", "passes"), [("ddp", 2), ("fsdp", 1)])
def test_two_processes_of_torch_record_their_own_work(tmp_path, kind, passes):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torch.multiprocessing.spawn(train, (kind, tmp_path), 2)
    for rank in (0, 1):
        least = 0.02 * (1 + 2 * rank) * passes
        own = seconds_of(tmp_path, rank)
        assert len(own) == 5 and least <= np.median(own) < least + 0.02
