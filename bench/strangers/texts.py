"""Studies, claims, matrices and recordings that were changed."""

import functools
import io
import random
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np

from bench.strangers.values import changed, disturbed
from fastgc.registry.toml import dumps
from fastgc.study.examples import examples

Cases = Iterator[tuple[str, list[list[str]]]]

#: Parts of expressions, joined at random.
_TOKENS = """
    n d p ( ) + - * / // % ** , 0 1 2 0.5 1e308 1e-320 10**9 10**5 2**40 sum( prod( max( min(
    for i in range( i k[0] [ ] binomial( comb( factorial( harmonic( lgamma( gamma( exp( sqrt( if
    else < <= == not and or agc.frc_mean_error( agc.theorem1( survivors=3 __class__ lambda 'x'
    codedreduce.tree_mean( hierarchical.mean( literature.x n=10**6 9**9**9 1j None
"""
_EXPRESSIONS = (
    "n * p**d",
    "sum(binomial(n, i) * p**i for i in range(n))",
    "agc.frc_mean_error(n, d, survivors=5)",
    "0 if p < 0.5 else n",
    "sum(agc.not_accessed_variance(300, 150, 150, .3, .5, .1) for i in range(10))",
    "agc.theorem1(n * 1000, d, n)",
)
_CLAIM = """
[[claim]]
id = "mine.lemma"
statement = "FRC loses n p^d partitions"
citation = "somewhere"
theory = "n * p**d"
quantity = "error"
relation = "="
[claim.where]
half = "n / 2"
[claim.experiment]
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "iid", p = 0.1 }
sweep = { "code.d" = [1, 2, 4] }
"""


def studies(folder: Path, count: int, generator: random.Random) -> Cases:
    """Studies of all members, with a value or some bytes changed."""
    _times(folder)
    texts = list(examples().values())
    for number in range(count):
        name = f"study{number}.toml"
        _write(folder / name, _of_toml(generator.choice(texts), generator))
        short = ["--trials", "64", "--max-seconds", "1", "--threads", "1"]
        yield name, [["run", name, *short]]


def claims(folder: Path, count: int, generator: random.Random) -> Cases:
    """Files of claims: the table changed, or the expression made of parts."""
    for number in range(count):
        name = f"claim{number}.toml"
        if generator.randrange(3):
            data = tomllib.loads(_CLAIM)
            data["claim"][0]["theory"] = _expression(generator)
            content = dumps(data).encode()
        else:
            content = _of_toml(_CLAIM, generator)
        _write(folder / name, content)
        yield name, [["validate", "--list", name]]


def _expression(generator: random.Random) -> str:
    if generator.randrange(2):
        return " ".join(
            generator.choice(_TOKENS.split()) for _ in range(generator.randrange(1, 12))
        )
    return disturbed(generator.choice(_EXPRESSIONS).encode(), generator).decode(errors="replace")


def _of_toml(text: str, generator: random.Random) -> bytes:
    if generator.randrange(3) == 0:
        return disturbed(text.encode(), generator)
    try:
        return dumps(changed(tomllib.loads(text), generator)).encode()
    except (TypeError, ValueError):  # what TOML has no word for
        return disturbed(text.encode(), generator)


def matrices(folder: Path, count: int, generator: random.Random) -> Cases:
    """Matrices in all formats, with bytes changed, or headers that lie about the size."""
    makers: list[Callable[[random.Random], tuple[str, bytes]]] = [_csv, _npy, _npz, _mtx, _h5]
    for number in range(count):
        suffix, content = generator.choice(makers)(generator)
        name = f"matrix{number}.{suffix}"
        _write(folder / name, content)
        yield name, [["inspect", f"{name}:B" if suffix == "h5" else name]]


def _small(generator: random.Random) -> np.ndarray:
    values = np.array(
        [[generator.choice([0.0, 1.0, -2.5, 1e-9]) for _ in range(6)] for _ in range(4)]
    )
    if generator.randrange(3) == 0:
        values[generator.randrange(4), generator.randrange(6)] = generator.choice(
            [1e308, -1e308, 5e-324, np.nan, np.inf, 1e200]
        )
    return values


def _csv(generator: random.Random) -> tuple[str, bytes]:
    how = generator.randrange(8)
    if how == 0:
        return "csv", b"1,0\n" * generator.choice([10**5, 2 * 10**5])
    if how == 1:
        return "csv", b"1," * generator.choice([10**2, 10**5]) + b"1\n"
    text = "\n".join(",".join(map(repr, row)) for row in _small(generator).tolist())
    return "csv", disturbed(text.encode(), generator)


def _npy(generator: random.Random) -> tuple[str, bytes]:
    stream = io.BytesIO()
    np.save(stream, _small(generator))
    content = stream.getvalue()
    if generator.randrange(2):
        shape = generator.choice(
            ["(60000, 60000)", "(4, 1000000000)", "(10**6, 2)", "(-1, 3)", "(0, 9)", "(200000, 2)"]
        )
        content = content.replace(
            b"(4, 6), }" + b" " * len(shape), f"{shape}, }}".encode() + b"   "
        )
        return "npy", content[: generator.choice([len(content), 100])]
    return "npy", disturbed(content, generator)


def _npz(generator: random.Random) -> tuple[str, bytes]:
    _, content = _npy(generator)
    made = _packed(content) if generator.randrange(3) else _bomb()
    return generator.choice(["npz", "npy"]), disturbed(made, generator) if generator.randrange(
        2
    ) else made


def _packed(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("X.npy", content)
        file.writestr("y.npy", _zeros(4))
    return stream.getvalue()


@functools.cache
def _bomb() -> bytes:
    return _packed(_zeros(3 * 10**8))


def _zeros(count: int) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "|u1", "fortran_order": False, "shape": (count,)}
    )
    return stream.getvalue() + bytes(count)


def _mtx(generator: random.Random) -> tuple[str, bytes]:
    head = f"%%MatrixMarket matrix {generator.choice(['coordinate', 'array'])} real general\n"
    sizes = generator.choice(
        ["4 6 3", "4 6", "16384 16384", "4194304 4194304 1", "9999999999 2 1", "3 3 1000000000000"]
    )
    lines = ["1 1 1", "2 3 1e308", "4 6 -1", "1", "1_0", "1 2 3 4"]
    entries = "\n".join(generator.choice(lines) for _ in range(3))
    content = f"{head}{sizes}\n{entries}\n".encode()
    return "mtx", disturbed(content, generator) if generator.randrange(3) == 0 else content


def _h5(generator: random.Random) -> tuple[str, bytes]:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        how = generator.randrange(8)
        if how == 0:
            file.create_dataset("B", (16384, 16384), "f8", chunks=True)
        elif how == 1:
            file.create_dataset("B", (10**6, 10**6), "f8", chunks=True)
        elif how == 2:
            file["B"] = h5py.SoftLink("/B")
        elif how == 3:
            file["B"] = h5py.ExternalLink("other.h5", "B")
        elif how == 4:
            file.create_dataset("B", (4, 4), "u1", external=[("/etc/passwd", 0, 16)])
        elif how == 5:
            layout = h5py.VirtualLayout((4, 6), "f8")
            layout[:] = h5py.VirtualSource("other.h5", "B", (4, 6))
            file.create_virtual_dataset("B", layout)
        else:
            file["B"] = _small(generator)
    content = stream.getvalue()
    return "h5", disturbed(content, generator) if how > 5 else content


def traces(folder: Path, count: int, generator: random.Random) -> Cases:
    """Recordings as wide and as long tables, with bytes changed."""
    _times(folder)
    wide = (folder / "times.csv").read_bytes()
    long = b"worker,iteration,seconds\n" + b"".join(
        b"%s,%d,%.3f\n" % (worker, turn, generator.expovariate(1.0) + 1.0)
        for turn in range(40)
        for worker in (b"a", b"b", b"c")
    )
    for number in range(count):
        name = f"trace{number}.csv"
        content = disturbed(generator.choice([wide, long]), generator)
        if generator.randrange(4) == 0:  # a name that a terminal would act on
            content = content.replace(b"b,", b"b\x1b[31m\x9b,").replace(b"w1", b"w\x1b]0;t\x07")
        _write(folder / name, content)
        words = generator.choice(
            [["trace", "show", name], ["trace", "fit", name], ["plot", name, "-o", "p.svg"]]
        )
        yield name, [words]


def _times(folder: Path) -> None:
    generator = random.Random(5)
    lines = ["w0,w1,w2,w3"]
    lines += [
        ",".join(f"{1 + generator.expovariate(1.0):.3f}" for _ in range(4)) for _ in range(60)
    ]
    (folder / "times.csv").write_text("\n".join(lines) + "\n")


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)
