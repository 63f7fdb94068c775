"""Mistakes that people make, by the hundred: broken studies and lines, each known to be one.

Every mistake is made by a rule that says why it is one, on studies of all members; numbers from a
generator with a fixed seed choose where. Nothing is left to chance about whether it is a mistake:
a key that is misspelt is no key.
"""

import copy
import random
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fastgc.registry import toml
from fastgc.study.examples import examples

#: A small study of each member, and one with a sweep.
STUDIES: list[dict[str, Any]] = [tomllib.loads(text) for text in examples().values()]
DECODING: dict[str, Any] = tomllib.loads("""
title = "Errors"
seed = 3
stop = { trials = 200, relative_error = 0.1 }
[[experiment]]
name = "ring"
kind = "decoding"
method = "monte-carlo"
code = { family = "circulant", n = 8, d = 2 }
stragglers = { model = "iid", p = 0.2 }
measure = ["error", "exact"]
quantiles = [0.5]
thresholds = [1.0]
decoder = "optimal"
[[experiment]]
name = "slow"
code = { family = "frc", n = 8, d = 2 }
stragglers = { model = "two-class", p_straggle_slow = 0.8, p_straggle_active = 0.01 }
iterations = 2
shuffle = "random"
sweep = { "stragglers.p_slow" = [0.1, 0.2] }
""")
STUDIES.append(DECODING)

#: Values that are chosen from a list, by their keys.
CHOICES = {"kind", "method", "family", "model", "distribution", "decoder", "shuffle"}
#: Numbers that count things, and may neither be below 1 nor broken.
COUNTS = {"n", "d", "layers", "iterations", "samples", "features", "trials"}
#: Numbers that are probabilities.
PROBABILITIES = {"p", "p_slow", "p_straggle_slow", "p_straggle_active"}
#: Numbers that must be positive.
POSITIVE = {"mean", "shape", "scale", "work", "relative_error", "step"}


#: Keys without which a table means nothing.
@dataclass(frozen=True)
class Mistake:
    """Arguments of a command, the files it finds, and a text that must name the place."""

    why: str
    arguments: tuple[str, ...]
    place: str
    files: dict[str, bytes] = field(default_factory=dict)


def mistakes(number: int, seed: int = 20261122) -> list[Mistake]:
    """So many mistakes, of all sorts in turn."""
    generator = random.Random(seed)
    sorts = [sort(generator) for sort in SORTS]
    found: dict[tuple[Any, ...], Mistake] = {}
    while len(found) < number:
        for sort in list(sorts):
            made = next(sort, None)
            if made is None:
                sorts.remove(sort)
            else:
                found.setdefault((made.arguments, *made.files.values()), made)
        assert sorts, f"only {len(found)} different mistakes"
    return list(found.values())[:number]


# ---- studies


Path = tuple[str | int, ...]


def _places(table: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key of a study with its value."""
    entries = enumerate(table) if isinstance(table, list) else table.items()
    for key, value in entries:
        yield (*path, key), value
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def _changed(study: dict[str, Any], path: Path, **entries: Any) -> dict[str, Any]:
    """The study with these entries in place of the one at a path."""
    made = copy.deepcopy(study)
    table: Any = made
    for key in path[:-1]:
        table = table[key]
    table.pop(path[-1], None)
    table.update(entries)
    return made


def _set(study: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    return _changed(study, path, **{str(path[-1]): value})


def _study(why: str, study: dict[str, Any], place: str) -> Mistake:
    files = {"study.toml": toml.dumps(study).encode()}
    return Mistake(why, ("run", "study.toml", "-o", "out.h5"), place, files)


def _keys(wanted: set[str] | None = None) -> list[tuple[dict[str, Any], Path, Any]]:
    """Places in all studies whose last key is one of these."""
    return [
        (study, path, value)
        for study in STUDIES
        for path, value in _places(study)
        if isinstance(path[-1], str)
        and not {"sweep", "files"} & {*path}
        and (wanted is None or path[-1] in wanted)
    ]


def _shuffled(generator: random.Random, items: list[Any]) -> Iterator[Any]:
    while items:
        yield from generator.sample(items, len(items))


def _misspelt(generator: random.Random, word: str) -> str:
    place = generator.randrange(len(word))
    ways = [word[:place] + word[place + 1 :], word + "x", word[:place] + "q" + word[place:]]
    if len(word) > 1 and len(set(word)) > 1:
        ways.append(word[::-1] if word[::-1] != word else word + "s")
    return generator.choice([way for way in ways if way and way != word])


def misspelt_keys(generator: random.Random) -> Iterator[Mistake]:
    """A key with a wrong letter."""
    known = {path[-1] for _, path, _ in _keys()} | {"k", "s", "port"}
    for study, path, value in _shuffled(generator, _keys()):
        wrong = _misspelt(generator, str(path[-1]))
        if wrong in known:
            continue
        # a table without its family is not known any better
        place = str(path[-1]) if path[-1] in CHOICES else wrong
        yield _study(f"{wrong} for {path[-1]}", _changed(study, path, **{wrong: value}), place)


def misspelt_values(generator: random.Random) -> Iterator[Mistake]:
    """A name with a wrong letter."""
    for study, path, value in _shuffled(generator, _keys(CHOICES)):
        wrong = _misspelt(generator, value)
        yield _study(f"{wrong} for {value}", _set(study, path, wrong), str(path[-1]))


def impossible_numbers(generator: random.Random) -> Iterator[Mistake]:
    """No, negative, broken, endless and absurdly many things."""
    nan, inf = float("nan"), float("inf")
    counts: list[Any] = [0, -1, -(10**30), 2.5, nan, inf, 10**40]
    ways = {key: counts for key in COUNTS}
    ways |= {key: [-0.1, 1.5, nan, inf, -inf, 10**40, -(10**400)] for key in PROBABILITIES}
    ways |= {key: [0, -1.0, nan, -inf, -(10**40)] for key in POSITIVE}
    for study, path, _ in _shuffled(generator, _keys(set(ways))):
        wrong = generator.choice(ways[str(path[-1])])
        yield _study(f"{path[-1]} = {wrong!r:.40}", _set(study, path, wrong), str(path[-1]))


# ---- command lines


def _plain() -> dict[str, bytes]:
    files = {"study.toml": toml.dumps(DECODING).encode(), "junk.h5": b"no HDF5", "empty.h5": b""}
    return files | {"times.csv": b"a,b\n1,2\n3,x\n"}


def wrong_commands(generator: random.Random) -> Iterator[Mistake]:
    """A command or option with a wrong letter."""
    from fastgc.cli.commands import cli

    words = sorted(cli.commands)
    options = [
        (name, option)
        for name, command in sorted(cli.commands.items())
        for parameter in command.params
        for option in getattr(parameter, "opts", ())
        if option.startswith("--")
    ]
    while True:
        name, option = generator.choice(options)
        wrong = "--" + _misspelt(generator, option[2:])
        is_prefix = any(other.startswith(wrong) for _, other in options)
        if generator.random() < 0.5 and not is_prefix:
            yield Mistake(f"{wrong} for {option}", (name, wrong), name, _plain())
            continue
        word = _misspelt(generator, generator.choice(words))
        if word not in words and not word.startswith("-"):
            yield Mistake(f"command {word}", (word,), "fastgc", _plain())


#: By command, what may follow it: each line between bars.
LINES = {
    "run": """
        study.toml --trials {n} | study.toml --seed {n} | study.toml --threads {n} |
        study.toml --shard {shard} | study.toml --max-seconds {n} | study.toml --method
        {word} | study.toml --executor {word} | study.toml --set
        {word} | study.toml --set experiment.{word}.code.d=2 | study.toml --set
        experiment.ring.code.{word}=2 | study.toml --set experiment.ring.code.d={word} |
        study.toml -o "no folder/out.h5" | study.toml -o . | study.toml -o junk.h5 |
        study.toml -o empty.h5 | {word}.toml | {word}.toml
        --compile-only | agc/{word} | . | junk.h5 |  | study.toml {word}
    """,
    "show": """
        {file} |  | {file} --pivot {word} | {file} --html -o "no folder/x.html" |
        {file} --audit | junk.h5 --audit {n} | study.toml
        --replay {n} | study.toml --replay 1 --experiment {word} | study.toml --replay 1
        --experiment slow --point {word}
    """,
    "merge": "{file} -o all.h5 | {file} | -o all.h5",
    "validate": """
        {word} | agc.{word} | --paper {word} | agc.lemma1 --trials {n} | agc.lemma1 --seed {n}
    """,
    "errata": "{word} | {word} -o x.html",
    "design": "{word}.toml | study.toml | junk.h5",
    "inspect": """
        {word} | frc n={word} d=2 | frc n=8 d=3 | frc n=8 | frc {word} | junk.h5 |
        missing.csv
    """,
    "plot": "{file} | {file} -o x.jpg | study.toml -o x.svg",
    "help": """
        {word} | studies {word} | theory {word} | theory agc.frc_mean_error {word} | theory
        agc.frc_mean_error n={word} | theory agc.frc_mean_error n=8 d=3 survivors=2
    """,
    "trace": """
        show {file} | show study.toml --threshold {word} | fit {file} | fit times.csv
        --column {word} | record -o "no folder/t.csv" | record -o t.csv --rounds {n} |
        record -o t.csv --workers {n} | record -o t.csv --work {word} | {word}
    """,
    "demo": "{word}",
}
FILLINGS = {
    "n": ["nan", "-1", "many", "1.5.2", "", "ten", "0x", "--", "1e", "−3"],
    "shard": ["3/3", "-1/2", "1", "a/b", "1/0", "", "1/2/3", "½", "0/1e400"],
    "word": ["nosuch", "größe", "λ", "x" * 300, "a b", "🚀", "p=", "=", "fro=1", "..", "%s"],
    "file": ["missing.h5", "junk.h5", "empty.h5", "study.toml", ".", "größe.h5", ""],
}


def wrong_lines(generator: random.Random) -> Iterator[Mistake]:
    """Options and arguments that mean nothing."""
    lines = [[name, *shlex.split(rest)] for name, own in LINES.items() for rest in own.split("|")]
    for line in _shuffled(generator, lines):
        filled = {name: generator.choice(ways) for name, ways in FILLINGS.items()}
        arguments = tuple(word.format_map(filled) for word in line)
        yield Mistake(" ".join(arguments)[:80], arguments, "", _plain())


SORTS = (misspelt_keys, misspelt_values, impossible_numbers, wrong_commands, wrong_lines)
