"""Files from strangers by the thousand: ``python -m bench.fuzz [--kind KIND] [--count N]``.

Files of results, studies, claims, matrices and recordings are changed at random and given to the
command, each in a process of its own: it is read or refused with a sentence. Tracebacks, warnings,
control characters, bugs (exit code 70), signals, and more time or memory than allowed are reported;
then the command exits with 1.
"""

import contextlib
import copy
import functools
import io
import json
import os
import pickle
import random
import re
import resource
import signal
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import fastgc
from bench import command
from bench.kills.scenes import STUDY
from bench.outcomes import Attempts
from fastgc.registry.files import USER_BLOCK, seal
from fastgc.registry.toml import dumps
from fastgc.study.examples import examples

SECONDS = 25  # of processor time, of one command: expressions alone may take 20
BYTES = 10**9  # of memory, of one command
#: What the command may exit with: anything but 70, a bug, or a signal.
CODES = (0, 1, 2, 74, 75)
#: Codes that a terminal would act on; tabs and ends of lines are text.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

#: Files by name, each with the commands to be tried on it.
Cases = Iterator[tuple[str, list[list[str]]]]

# ---- Changes of data and of bytes

#: Values of all kinds and sizes, some of which no place takes.
VALUES: tuple[Any, ...] = (
    0, 1, -1, 2, 63, 65, 2**31, 2**53 + 1, 2**63, 10**12, 10**30, -(2**63),
    0.5, 1e-320, 1e308, float("inf"), float("nan"), True, "", "error", "\x1b[31mred\x1b[0m",
    "a\rb\x00c\x9b5m", "../../etc/passwd", "x" * 5000, "1_0", "\u0661",
    [], {}, [[]], [0.5, "x"], {"a": 1}, [1] * 200, [[1, 2], [3]],
)  # fmt: skip
_PIECES = [*b"1e999 \x1b[2J - 99999999999999999999 1_0 \xff , nan \xd9\xa1 \x00".split(b" "), b"\n"]


def changed(data: Any, choose: random.Random) -> Any:
    """Return data with one place of it changed: another value, or less or more of it."""
    data = copy.deepcopy(data)
    places = _places(data)
    if not places:
        return choose.choice(VALUES)
    home, key = choose.choice(places)
    how = choose.randrange(8)
    if how == 0:
        del home[key]
    elif how == 1 and isinstance(home, dict):
        home[f"{key}x"] = home[key]
    elif how == 2 and isinstance(home, list):
        home.insert(key, home[key])
    elif how == 3:
        home[key] = copy.deepcopy(choose.choice(places)[0])
    elif how == 4 and isinstance(home[key], int | float):
        home[key] = home[key] * choose.choice([-1, 10, 1000, 1e9, 1e-9])
    else:
        home[key] = copy.deepcopy(choose.choice(VALUES))
    return data


def _places(data: Any) -> list[tuple[Any, Any]]:
    places = []
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        places.append((data, key))
        if isinstance(value, dict | list):
            places += _places(value)
    return places


def disturbed(content: bytes, choose: random.Random) -> bytes:
    """Return bytes of which some are changed, left out, doubled, or cut off."""
    made = bytearray(content)
    for _ in range(choose.choice([1, 1, 2, 8])):
        place, length = choose.randrange(len(made) + 1), choose.choice([1, 1, 4, 40])
        how = choose.randrange(5)
        if how == 0:
            made[place : place + length] = choose.randbytes(min(length, len(made) - place))
        elif how == 1:
            del made[place : place + length]
        elif how == 2:
            made[place:place] = made[place : place + length]
        elif how == 3:
            made[place : place + length] = choose.choice(_PIECES)
        elif made:
            made = made[: choose.randrange(len(made)) + 1]
    return bytes(made)


def _changed_toml(text: str, choose: random.Random) -> bytes:
    if choose.randrange(3):
        with contextlib.suppress(TypeError, ValueError):  # what TOML has no word for
            return dumps(changed(tomllib.loads(text), choose)).encode()
    return disturbed(text.encode(), choose)


# ---- Studies, claims, matrices, recordings

#: Parts of expressions, whole ones, and a claim.
_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def studies(folder: Path, count: int, choose: random.Random) -> Cases:
    """Studies of all members, with a value or some bytes changed."""
    (folder / "times.csv").write_bytes(_recording())
    texts = list(examples().values())
    for number in range(count):
        name = f"study{number}.toml"
        (folder / name).write_bytes(_changed_toml(choose.choice(texts), choose))
        yield name, [["run", name, "--trials", "64", "--max-seconds", "1", "--threads", "1"]]


def claims(folder: Path, count: int, choose: random.Random) -> Cases:
    """Files of claims: the table changed, or the expression made of parts."""
    for number in range(count):
        name, content = f"claim{number}.toml", _changed_toml(_WORDS["claim"], choose)
        if choose.randrange(3):
            if choose.randrange(2):
                words = choose.choices(_WORDS["tokens"].split(), k=choose.randrange(1, 12))
                expression = " ".join(words)
            else:
                made = disturbed(choose.choice(_WORDS["expressions"]).encode(), choose)
                expression = made.decode(errors="replace")
            data = tomllib.loads(_WORDS["claim"])
            data["claim"][0]["theory"] = expression
            content = dumps(data).encode()
        (folder / name).write_bytes(content)
        yield name, [["validate", "--list", name]]


def matrices(folder: Path, count: int, choose: random.Random) -> Cases:
    """Matrices in all formats, with bytes changed, or headers that lie about the size."""
    for number in range(count):
        suffix, content = choose.choice([_csv, _npy, _npz, _mtx, _h5])(choose)
        name = f"matrix{number}.{suffix}"
        (folder / name).write_bytes(content)
        yield name, [["inspect", f"{name}:B" if suffix == "h5" else name]]


def _small(choose: random.Random) -> np.ndarray:
    values = np.array(choose.choices([0.0, 1.0, -2.5, 1e-9], k=24)).reshape(4, 6)
    if choose.randrange(3) == 0:
        strange = [1e308, -1e308, 5e-324, np.nan, np.inf, 1e200]
        values[choose.randrange(4), choose.randrange(6)] = choose.choice(strange)
    return values


def _csv(choose: random.Random) -> tuple[str, bytes]:
    if choose.randrange(4) == 0:
        return "csv", choose.choice([b"1,0\n" * 10**5, b"1," * 10**5 + b"1\n"])
    text = "\n".join(",".join(map(repr, row)) for row in _small(choose).tolist())
    return "csv", disturbed(text.encode(), choose)


def _npy(choose: random.Random) -> tuple[str, bytes]:
    content = _image(np.save, _small(choose))
    if choose.randrange(2):
        return "npy", disturbed(content, choose)
    shapes = ["(60000, 60000)", "(4, 1000000000)", "(10**6, 2)", "(-1, 3)", "(0, 9)"]
    shape = choose.choice(shapes)
    return "npy", content.replace(
        b"(4, 6), }" + b" " * len(shape), f"{shape}, }}".encode() + b"   "
    )


def _npz(choose: random.Random) -> tuple[str, bytes]:
    made = _image(np.savez_compressed, _small(choose)) if choose.randrange(3) else _bomb()
    return choose.choice(["npz", "npy"]), disturbed(made, choose) if choose.randrange(2) else made


@functools.cache
def _bomb() -> bytes:
    return _image(np.savez_compressed, np.zeros(3 * 10**8, np.uint8))


def _image(save: Callable[..., None], array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    save(stream, array)
    return stream.getvalue()


def _mtx(choose: random.Random) -> tuple[str, bytes]:
    head = f"%%MatrixMarket matrix {choose.choice(['coordinate', 'array'])} real general\n"
    sizes = ["4 6 3", "4 6", "16384 16384", "4194304 4194304 1", "3 3 1000000000000"]
    lines = ["1 1 1", "2 3 1e308", "4 6 -1", "1", "1_0", "1 2 3 4"]
    content = head + "\n".join([choose.choice(sizes), *choose.choices(lines, k=3)]) + "\n"
    return "mtx", disturbed(content.encode(), choose) if choose.randrange(3) else content.encode()


def _h5(choose: random.Random) -> tuple[str, bytes]:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file["B"] = _small(choose)
        file.attrs["unit"] = file["B"].attrs["unit"] = 1
    content = stream.getvalue()
    if choose.randrange(2):
        return "h5", disturbed(content, choose)
    return "h5", _altered(content, _change_node, choose)


def _altered(content: bytes, change: Callable[..., None], choose: random.Random) -> bytes:
    """Return a file of HDF5 with something changed, or as it is where that cannot be."""
    stream = io.BytesIO(content)
    with (
        contextlib.suppress(KeyError, OSError, RuntimeError, TypeError, ValueError),
        h5py.File(stream, "r+") as file,
    ):
        change(file, choose)
    return stream.getvalue()


def traces(folder: Path, count: int, choose: random.Random) -> Cases:
    """Recordings as wide and as long tables, with bytes changed."""
    turns = ((turn, worker) for turn in range(40) for worker in (b"a", b"b", b"c"))
    lines = (b"%s,%d,%.3f\n" % (who, t, choose.expovariate(1.0) + 1.0) for t, who in turns)
    long = b"worker,iteration,seconds\n" + b"".join(lines)
    for number in range(count):
        name = f"trace{number}.csv"
        content = disturbed(choose.choice([_recording(), long]), choose)
        if choose.randrange(4) == 0:  # a name that a terminal would act on
            content = content.replace(b"b,", b"b\x1b[31m\x9b,").replace(b"w1", b"w\x1b]0;t\x07")
        (folder / name).write_bytes(content)
        words = choose.choice(["trace show {}", "trace fit {}", "plot {} -o p.svg"])
        yield name, [words.format(name).split()]


@functools.cache
def _recording() -> bytes:
    choose = random.Random(5)
    rows = ([f"{1 + choose.expovariate(1.0):.3f}" for _ in range(4)] for _ in range(60))
    return "\n".join(["w0,w1,w2,w3", *map(",".join, rows)]).encode() + b"\n"


# ---- Files of results, sealed again


def results(folder: Path, count: int, choose: random.Random) -> Cases:
    """Files of a run, a shard, merged shards and verdicts, with one thing changed."""
    run, merged, verdicts = (folder / f"{name}.h5" for name in ("run", "merged", "verdicts"))
    fastgc.run(STUDY, out=run, trials=400, method="both", threads=1)
    shards = [folder / f"shard{i}.h5" for i in range(2)]
    for i, file in enumerate(shards):
        fastgc.run(STUDY, out=file, trials=400, batch=fastgc.runs.Batch(shard=(i, 2)), threads=1)
    fastgc.runs.merge(shards, merged)
    names = ["agc.lemma1.printed", "agc.theorem1"]
    fastgc.validate(names, out=verdicts, trials=2000, threads=1)
    contents = [file.read_bytes() for file in (run, shards[0], merged, verdicts)]
    for number in range(count):
        name = f"case{number}.h5"
        (folder / name).write_bytes(_mutated(choose.choice(contents), choose))
        chosen = ["show {}", *choose.sample(_WORDS["commands"], 2)]
        yield name, [words.format(name).split() for words in chosen]


def _mutated(content: bytes, choose: random.Random) -> bytes:
    how = choose.randrange(10)
    if how == 0:
        return disturbed(content, choose)
    if how == 1:
        inside = disturbed(content[USER_BLOCK:], choose)
    else:
        change = _change_text if how < 6 else _change_node
        inside = _altered(content, change, choose)[USER_BLOCK:]
    return seal(memoryview(inside)) + inside


def _change_text(file: h5py.File, choose: random.Random) -> None:
    texts = ["rows", "verdicts", "provenance", "identity"] + ["merged"] * ("merged" in file)
    name = choose.choice(texts)
    text = bytes(file[name][()]).decode()
    if choose.randrange(8) == 0:
        made = choose.choice(["", "{", "null", "[" * 100_000, "NaN", "1" * 5000, '"x"', "[1]"])
    else:
        made = json.dumps(changed(json.loads(text or "null") or [0], choose))
    del file[name]
    file.create_dataset(name, data=np.bytes_(made.encode() or b"\0"))


def _change_node(file: h5py.File, choose: random.Random) -> None:
    nodes: list[str] = []
    file.visit(nodes.append)
    name = choose.choice([node for node in nodes if "results/" not in node] or nodes)
    old = file[name][()] if isinstance(file[name], h5py.Dataset) else None
    how = choose.randrange(9)
    if how == 0:
        home = choose.choice([file, *(file[each] for each in nodes if len(file[each].attrs))])
        key = choose.choice(sorted(home.attrs))
        home.attrs[key] = choose.choice([x for x in VALUES if isinstance(x, int | float | str)])
        return
    del file[name]
    if how == 1:
        links = h5py.SoftLink(f"/{name}"), h5py.SoftLink("/rows"), h5py.ExternalLink("run.h5", "x")
        file[name] = choose.choice(links)
    elif how == 2:
        huge = choose.choice([(10**10,), (10**6, 69), (10**12,), (0,), (3, 0), (0, 69)])
        file.create_dataset(name, huge, choose.choice(["i8", "u8", "f8", "S9"]), chunks=True)
    elif how == 3:
        file.create_dataset(name, (10**9,), "i8")  # never written: takes no room
    elif how == 4:
        file.create_dataset(name, (64,), "u8", external=[("/etc/passwd", 0, 512)])
    elif how == 5:
        file.create_dataset(name, data=choose.choice([np.float64(np.nan), b"\x1b[2J", [1, 2, 3]]))
    elif how == 6 and isinstance(old, np.ndarray) and old.size:
        made = old.copy().reshape(-1)
        made[choose.randrange(made.size)] = made.dtype.type(choose.choice([0, 1, 127]))
        file.create_dataset(name, data=made.reshape(old.shape))
    elif how == 7:
        file.create_dataset(name, data=np.zeros((10**6, 69), "i8"), compression="gzip")


# ---- One file, given to the command in a process of its own


def attempt(commands: Sequence[Sequence[str]], folder: Path) -> tuple[list[int], str]:
    """Run commands, the words after ``fastgc``, in a process each.

    Returns their exit codes, and what went wrong; empty where nothing did.
    """
    codes = []
    for words in commands:
        code, wrong = _alone(lambda words=words: _command(words, folder))  # type: ignore[misc]
        codes.append(code)
        if wrong:
            return codes, f"fastgc {' '.join(words)}: {wrong}"
    return codes, ""


def _command(words: Sequence[str], folder: Path) -> tuple[int, str]:
    from fastgc.cli import main

    os.chdir(folder)
    os.environ["FASTGC_LOG"] = "none"
    sys.argv = ["fastgc", *words]
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main.main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    except BaseException:
        err.write(traceback.format_exc())
    printed = out.getvalue() + err.getvalue()
    if "Traceback" in printed:
        return code, "traceback: " + " | ".join(printed.strip().splitlines()[-4:])
    if "Warning" in err.getvalue():
        return code, f"a warning: {err.getvalue()[:300]}"
    if code not in CODES:
        return code, f"exit code {code}: {err.getvalue()[:300]}"
    if CONTROL.search(printed):
        return code, f"control characters: {printed[:300]!r}"
    if code == 2 and not err.getvalue().strip():
        return code, "refused without a sentence"
    return code, ""


def _alone(work: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """Do work in a copy of this process, with bounds on time and memory."""
    # a copy begins with what this process holds
    addressed, held = map(int, Path("/proc/self/statm").read_text().split()[:2])
    before = held * resource.getpagesize() // 1024
    most = addressed * resource.getpagesize() + 4 * BYTES
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            with open(writer, "wb") as stream:
                stream.write(pickle.dumps(work()))
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as stream:
        image = stream.read()
    _, status, used = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return -1, f"more than {SECONDS} s of processor time"
        return -1, f"killed by {signal.Signals(number).name}"
    if not image:
        return -1, "left without a word"
    code, wrong = pickle.loads(image)
    if not wrong and 1024 * (used.ru_maxrss - before) > BYTES:
        wrong = f"{(used.ru_maxrss - before) // 1024} MB of memory"
    return code, wrong


#: By its name, what makes files of a kind, and how many the long form tries.
KINDS = {
    "results": (results, 2000),
    "studies": (studies, 2000),
    "matrices": (matrices, 500),
    "traces": (traces, 500),
    "claims": (claims, 500),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Try files of all kinds; 1 if any of them did harm."""
    count = {"type": int, "help": "files of each kind; by default as many as named"}
    options = command.parse(
        "bench.fuzz", __doc__, arguments, "--seed", "--folder", kind=tuple(KINDS), count=count
    )
    is_wrong = False
    with tempfile.TemporaryDirectory() as temporary:
        for kind in options.kind or KINDS:
            make, many = KINDS[kind]
            folder = (options.folder or Path(temporary)) / kind
            folder.mkdir(parents=True, exist_ok=True)
            outcome = Attempts(kind)
            choose = random.Random(f"{options.seed} {kind}")
            for name, commands in make(folder, options.count or many, choose):
                codes, wrong = attempt(commands, folder)
                outcome.counts["wrong" if wrong else "refused" if 2 in codes else "read"] += 1
                if wrong:
                    outcome.wrong.append(f"{name}: {wrong}")
                    print(outcome.wrong[-1], file=sys.stderr, flush=True)
                else:
                    (folder / name).unlink()
            print(outcome.line(), flush=True)
            is_wrong |= bool(outcome.wrong)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
