"""Files of results that were changed and sealed again."""

import io
import json
import random
from pathlib import Path

import h5py
import numpy as np

import fastgc
from bench.strangers.texts import Cases
from bench.strangers.values import VALUES, changed, disturbed
from fastgc.registry.files import USER_BLOCK, seal

STUDY = {
    "title": "Errors",
    "seed": 3,
    "stop": {"trials": 400},
    "experiment": [
        {
            "name": "ring",
            "method": "both",
            "code": {"family": "circulant", "n": 6, "d": 2},
            "stragglers": {"model": "iid", "p": 0.2},
            "measure": ["error", "survivors"],
            "quantiles": [0.5],
            "thresholds": [1.0],
            "sweep": {"stragglers.p": [0.1, 0.2]},
        },
        {
            "name": "tree",
            "kind": "completion",
            "method": "monte-carlo",
            "system": {"family": "coded-reduce", "n": 3, "layers": 2, "s": 1},
            "latency": {"distribution": "exponential", "shift": 0.1, "mean": 0.5},
        },
    ],
}
COMMANDS = (
    ("show", "{}"),
    ("show", "{}", "--json"),
    ("show", "{}", "--csv"),
    ("show", "{}", "--latex"),
    ("show", "{}", "--audit", "100", "--seed", "1"),
    ("merge", "{}", "-o", "merged.h5"),
    ("plot", "{}", "-o", "plot.svg"),
    ("show", "{}", "--html", "-o", "page.html"),
    ("run", "{}", "--trials", "64", "--threads", "1"),
)


def originals(folder: Path) -> list[Path]:
    """Write files of all kinds: of a run, a shard, of merged shards, of verdicts."""
    run = folder / "run.h5"
    fastgc.run(STUDY, out=run, threads=1)
    shards = [folder / f"shard{i}.h5" for i in range(2)]
    for i, file in enumerate(shards):
        fastgc.run(STUDY, out=file, batch=fastgc.Batch(shard=(i, 2)), threads=1)
    merged = folder / "all.h5"
    fastgc.merge(shards, merged)
    claims = folder / "claims.h5"
    fastgc.validate(["agc.lemma1.printed", "agc.theorem1"], out=claims, trials=2000, threads=1)
    return [run, shards[0], merged, claims]


def sealed(content: bytes) -> bytes:
    """Return the bytes of a file of results under a seal that fits."""
    inside = content[USER_BLOCK:]
    return seal(memoryview(inside)) + inside


def mutated(content: bytes, generator: random.Random) -> bytes:
    """Return a file with one thing changed."""
    how = generator.randrange(10)
    if how == 0:
        return disturbed(content, generator)
    if how == 1:
        return sealed(content[:USER_BLOCK] + disturbed(content[USER_BLOCK:], generator))
    stream = io.BytesIO(content)
    try:
        with h5py.File(stream, "r+") as file:
            (_in_text if how < 6 else _in_place)(file, generator)
    except (KeyError, OSError, RuntimeError, TypeError, ValueError, OverflowError):
        pass  # h5py refuses to write it
    return sealed(stream.getvalue())


def _in_text(file: h5py.File, generator: random.Random) -> None:
    texts = ["rows", "verdicts", "provenance", "identity"]
    texts += ["merged"] if "merged" in file else []
    name = generator.choice(texts)
    text = bytes(file[name][()]).decode()
    if generator.randrange(8) == 0:
        made = generator.choice(["", "{", "null", "[" * 100_000, "NaN", "1" * 5000, '"x"', "[1]"])
    else:
        made = json.dumps(changed(json.loads(text or "null") or [0], generator))
    del file[name]
    file.create_dataset(name, data=np.bytes_(made.encode() or b"\0"))


def _in_place(file: h5py.File, generator: random.Random) -> None:
    nodes: list[str] = []
    file.visit(nodes.append)
    name = generator.choice([node for node in nodes if "results/" not in node] or nodes)
    node = file[name]
    how = generator.randrange(10)
    if how == 0:
        del file[name]
    elif how in (1, 2):
        home = generator.choice([file, *(file[each] for each in nodes if len(file[each].attrs))])
        if home.attrs:
            key = generator.choice(sorted(home.attrs))
            value = generator.choice(
                [each for each in VALUES if isinstance(each, int | float | str)]
            )
            if generator.randrange(5) == 0:
                del home.attrs[key]
            else:
                home.attrs[key] = value
    elif how == 3:
        del file[name]
        file[name] = generator.choice(
            [h5py.SoftLink(f"/{name}"), h5py.SoftLink("/rows"), h5py.ExternalLink("run.h5", "rows")]
        )
    elif isinstance(node, h5py.Dataset):
        _replaced(file, name, node, generator)


def _replaced(file: h5py.File, name: str, node: h5py.Dataset, generator: random.Random) -> None:
    old = node[()]
    del file[name]
    how = generator.randrange(7)
    if how == 0:
        huge = generator.choice([(10**10,), (10**6, 69), (10**12,), (0,), (3, 0), (0, 69)])
        file.create_dataset(name, huge, generator.choice(["i8", "u8", "f8", "S9"]), chunks=True)
    elif how == 1:
        file.create_dataset(name, (10**9,), "i8")  # never written: takes no room
    elif how == 2:
        file.create_dataset(name, (64,), "u8", external=[("/etc/passwd", 0, 512)])
    elif how == 3:
        layout = h5py.VirtualLayout((64,), "u8")
        layout[:] = h5py.VirtualSource("run.h5", "tallies/0/digests", (64,))
        file.create_virtual_dataset(name, layout)
    elif how == 4:
        file.create_dataset(
            name, data=generator.choice([np.float64(np.nan), b"\x1b[2J", [1, 2, 3]])
        )
    elif how == 5 and isinstance(old, np.ndarray) and old.size:
        made = old.copy().reshape(-1)
        made[generator.randrange(made.size)] = made.dtype.type(generator.choice([0, 1, 127]))
        file.create_dataset(name, data=made.reshape(old.shape))
    else:
        file.create_dataset(name, data=np.zeros((10**6, 69), "i8"), compression="gzip")


def cases(folder: Path, count: int, generator: random.Random) -> Cases:
    """Write files one after the other; yield each name with the commands to be tried."""
    contents = [file.read_bytes() for file in originals(folder)]
    for number in range(count):
        name = f"case{number}.h5"
        (folder / name).write_bytes(mutated(generator.choice(contents), generator))
        chosen = [COMMANDS[0], *generator.sample(COMMANDS[1:], 2)]
        yield name, [[word.format(name) for word in words] for words in chosen]
