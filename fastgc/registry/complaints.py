"""One sentence for every mistake in data that users write: place, what was found, what is allowed.

pydantic finds all mistakes at once but describes them by its own schema; here each is put in the
words of the study, with the nearest right name for a misspelt one.
"""

import difflib
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, get_args

import pydantic

from fastgc.errors import FastgcError
from fastgc.errors import nearest as nearest
from fastgc.registry import GROUPS, documented, members, plugins, toml
from fastgc.registry.number_types import count_of

Key = str | int
Location = tuple[Key, ...]
Model = TypeVar("Model", bound=pydantic.BaseModel)

#: What pydantic calls a branch of a union of types.
_LABEL = re.compile(r"int|float|bool|str|list|tuple|dict|.*[-\[(].*")
#: Keys that name a member of a group, like ``family``.
TAG_KEYS = frozenset(group.key for group in GROUPS.values())

#: Other words for a key that no spelling comes near to.
_MEANT = {"path": "file", "filename": "file", "workers": "n", "partitions": "k", "s": "stragglers"}

_MUST = {
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "float_type": "must be a number",
    "finite_number": "must be finite",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "none_required": "must be left out",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must hold at least {min_length} (got {actual_length})",
    "too_long": "must hold at most {max_length} (got {actual_length})",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must match {pattern}",
}

#: Of a key of an experiment, where more than a table is taken.
_MUST_BE_AT = {
    "code": "must be a table, a matrix as a list of rows, or the name of a file",
    "stragglers": "must be a table, a number, or a list of probabilities",
}


class Complaint(NamedTuple):
    """A place in the data and what is wrong there."""

    location: Location
    sentence: str


class UnknownKey(Complaint):
    """A key that the table which it stands in does not have."""

    __slots__ = ()


def check(
    model: type[Model], data: Any, context: Mapping[str, Any] | None = None
) -> tuple[Model | None, list[Complaint]]:
    """Make a model of `plain` data, or say everything that is wrong with it.

    Whole numbers written as ``1e9`` become integers in the data. The context has
    ``folder``, where relative file names start, and ``files``, contents that stand in for files.
    """
    while True:
        try:
            # as JSON, arrays fit tuples although types are strict
            text = json.dumps(data)
            return model.model_validate_json(text, context=dict(context or {})), []
        except pydantic.ValidationError as error:
            # each pass may reach what one count that could not be read had hidden
            if not _read_counts(data, error):
                return None, _complaints(error, data, model)
        except Exception as problem:  # of ValueErrors, and so of fastgc's own, pydantic makes its
            if not (named := list(dict.fromkeys(_plugins_in(data)))):
                raise
            raise plugins.failure(f"{' or '.join(named)}: a validator", problem) from problem


def _plugins_in(data: Any) -> Iterator[str]:
    """Yield the classes of users whose tags stand in data."""
    if isinstance(data, list):
        yield from itertools.chain.from_iterable(map(_plugins_in, data))
    elif isinstance(data, dict):
        yield from _plugins_in(list(data.values()))
        for group, (key, *_) in GROUPS.items():
            cls = members(group).get(str(data.get(key)))
            if cls is not None and not plugins.is_own(cls):
                yield plugins.path(cls)


def _read_counts(data: Any, error: pydantic.ValidationError) -> bool:
    """Put integers in place of counts written as 1e9, and say whether there were any."""
    any_read = False
    for detail in error.errors(include_url=False, include_context=False):
        if detail["type"] not in ("int_type", "int_from_float"):
            continue
        *above, last = _place(detail["loc"], data)[0] or ("",)
        node = data
        try:
            for key in above:
                node = node[key]
            count = count_of(node[last])
        except (LookupError, TypeError):
            continue
        if count is not None:
            node[last] = count
            any_read = True
    return any_read


def lines(complaints: Iterable[Complaint]) -> list[str]:
    """Write complaints as ``key.path: sentence``, each once and on one line.

    Of more than three that say the same of entries of a list, the first is written, and how many.
    """
    alike: dict[tuple[str, str], dict[str, None]] = {}
    for location, sentence in complaints:
        of = re.sub(r"(\[\d+\])+$", "", path(location))
        said = one_line(f"{path(location)}: {sentence}" if location else sentence)
        alike.setdefault((of, sentence.partition(" (got ")[0]), {})[said] = None
    found: list[str] = []
    for first, *more in alike.values():
        many = [f"{first}; the same holds of {len(more)} more entries"]
        found += many if len(more) > 2 else [first, *more]
    return found


def one_line(text: str) -> str:
    """Escape what would break the line or the terminal: names of files and keys may hold it."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def path(location: Location) -> str:
    """Write a location as a study's reader would: ``experiment.frc.code.d``, ``quantiles[1]``."""
    steps = (f"[{key}]" if isinstance(key, int) else f".{toml.key(key)}" for key in location)
    return "".join(steps).removeprefix(".")


def show(value: Any) -> str:
    """Write a value as a study would, cut to one short line."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    text = repr(value)
    if isinstance(value, list) and len(text) > 60:
        return f"a list of {len(value)}"
    return text if len(text) <= 60 else text[:57] + "…"


def unknown(what: str, word: Any, known: Iterable[str]) -> str:
    """Say that a name is unknown, which one may be meant, and which there are."""
    names = sorted(set(known))
    near = nearest(word, names) if isinstance(word, str) else ""
    return f"unknown {what} {show(word)}{near or ';'} allowed: {', '.join(names)}"


def unlisted(what: str, word: str, known: Iterable[str], lister: str, *near: str) -> str:
    """Say that a name is unknown where too many are known to list: ``lister`` prints them all."""
    meant = near[:3] or difflib.get_close_matches(word, sorted(set(known)), 3, cutoff=0.6)
    hint = f"; did you mean {alternatives(map(repr, meant))}?" if meant else ""
    return f"unknown {what} {show(word)}{hint} ({lister} lists all)"


def alternatives(words: Iterable[object]) -> str:
    """Join words for a sentence: ``1, 2 or 4``."""
    *head, last = map(str, words)
    return f"{', '.join(head)} or {last}" if head else last


def _complaints(
    error: pydantic.ValidationError, data: Any, model: type[pydantic.BaseModel]
) -> list[Complaint]:
    found: dict[Location, list[_Remark]] = {}
    for detail in error.errors(include_url=False):
        if detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]:
            continue  # pydantic counts the entries that passed; the others have said so themselves
        location, in_branch = _place(detail["loc"], data)
        at, sentence = _sentence(detail, location, model)
        word = in_branch and detail["type"] == "literal_error"
        wrong_type = in_branch and detail["type"].endswith("_type")
        wrong_type |= word and not isinstance(detail["input"], str)
        stranger = detail["type"] == "extra_forbidden"
        found.setdefault(at, []).append(_Remark(sentence, wrong_type, word, stranger))
    out = []
    for at, here in found.items():
        every = [each.sentence for each in here]
        fitting = [each for each in here if not each.wrong_type]
        # A branch of a union that did not fit at all says nothing where another fitted better.
        if not fitting and any(len(o) > len(at) and o[: len(at)] == at for o in found):
            continue
        # a word that is not one of those allowed may be meant for something else
        said = every if all(each.word for each in fitting) else [each.sentence for each in fitting]
        said = list(dict.fromkeys(said))
        if len(said) > 1:  # what the branches of a union want: a number or a list (got 'x')
            parts = [sentence.partition(" (got ") for sentence in said]
            wants = dict.fromkeys(want.removeprefix("must be ") for want, _, _ in parts)
            got = max((mark + rest for _, mark, rest in parts), key=len)
            said = [f"must be {alternatives(wants)}{got}"]
        kind = UnknownKey if all(each.stranger for each in here) else Complaint
        out.append(kind(at, said[0]))
    return out


class _Remark(NamedTuple):
    sentence: str
    wrong_type: bool  # said by a branch of a union that wants another type
    word: bool  # said by a branch of a union that wants one of some words
    stranger: bool  # the key is none of its table


def _place(loc: tuple[Key, ...], data: Any) -> tuple[Location, bool]:
    # without pydantic's union labels; and whether the last step was one
    at: list[Key] = []
    node = data
    in_branch = False
    for i, key in enumerate(loc):
        in_branch = False
        if isinstance(node, dict) and isinstance(key, str):
            # a key that equals its table's tag is a field where it follows the tag, or nothing
            is_field = i == 0 or loc[i - 1] == key
            if any(node.get(tag) == key for tag in TAG_KEYS) and not is_field:
                continue
            if key not in node and (i + 1 < len(loc) or _LABEL.fullmatch(key)):
                in_branch = True  # a branch of a union of words and tables
                continue
            at.append(key)
            node = node.get(key)
        elif isinstance(node, list) and isinstance(key, int):
            at.append(key)
            node = node[key] if key < len(node) else None
        else:
            in_branch = True
    return tuple(at), in_branch


def _sentence(
    detail: Any, location: Location, model: type[pydantic.BaseModel]
) -> tuple[Location, str]:
    kind: str = detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    value = detail["input"]
    if kind == "missing":
        key = str(location[-1])  # what it is for is said where its table says so
        said = (documented.keys(each).get(key) for each in _models_at(model, detail["loc"][:-1]))
        text = next(filter(None, said), "").partition("; ")[0].rstrip(".")
        text = text.replace("``", "`")  # docstrings' marks; a sentence has those of the terminal
        return location, f"missing; add it ({text})" if text else "missing; add it"
    if kind == "extra_forbidden":
        key = str(location[-1])
        known = _known_keys(model, detail["loc"][:-1])
        meant = _MEANT.get(key, key)
        near = nearest(meant if meant in known else key, known)
        return location, f"unknown key{near or ';'} allowed: {', '.join(known)}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tag = context["discriminator"].strip("'")
        models = _models_at(model, detail["loc"])
        tags = [
            name
            for each in models
            if tag in each.model_fields
            for name in get_args(each.model_fields[tag].annotation)
        ]
        if kind == "union_tag_not_found" and not (isinstance(value, dict) and tag in value):
            return (*location, tag), f"missing; allowed: {', '.join(sorted(tags))}"
        found = value[tag] if isinstance(value, dict) else context.get("tag")
        return (*location, tag), unknown(tag, found, tags)
    if kind == "literal_error":
        known = context["expected"].split("'")[1::2]
        turned = isinstance(value, str) and value[::-1] in known  # such as =< for <=
        near = nearest(value[::-1] if turned else value, known) if isinstance(value, str) else ""
        return location, f"must be {context['expected']} (got {show(value)}){near}"
    if kind in ("value_error", "assertion_error"):
        error = context["error"]
        about = error.key if isinstance(error, FastgcError) and isinstance(value, dict) else None
        if about in _known_keys(model, detail["loc"]):
            return (*location, about), error.sentence  # said by a table of one of its keys
        sentence = str(error)  # a validator's own, which may say itself what was found
        says_found = "(got" in sentence or (isinstance(value, str) and value in sentence)
        if says_found or isinstance(value, dict):
            return location, sentence
        return location, f"{sentence} (got {show(value)})"
    if isinstance(value, float) and math.isnan(value):
        return location, "must be finite (got nan)"
    limits = {
        key: int(x) if isinstance(x, float) and x.is_integer() else x for key, x in context.items()
    }
    sentence = _MUST.get(kind, "").format(**limits) or detail["msg"]
    if sentence == "must be a table" and len(location) == 1:
        sentence = _MUST_BE_AT.get(str(location[0]), sentence)
    sentence = sentence.replace("Input should be", "must be")
    return location, sentence if "(got" in sentence else f"{sentence} (got {show(value)})"


def _known_keys(model: type[pydantic.BaseModel], loc: tuple[Key, ...]) -> list[str]:
    return sorted(
        {
            field.alias or name
            for each in _models_at(model, loc)
            for name, field in each.model_fields.items()
        }
    )


def _models_at(
    model: type[pydantic.BaseModel], loc: tuple[Key, ...]
) -> list[type[pydantic.BaseModel]]:
    # that may stand at a pydantic location, which names the tags it took
    models = [model]
    for key in loc:
        tagged = [
            each
            for each in models
            for tag in TAG_KEYS & each.model_fields.keys()
            if each.model_fields[tag].default == key
        ]
        if tagged and len(models) > 1:
            models = tagged
        elif fields := [each.model_fields[key] for each in models if key in each.model_fields]:
            models = [found for field in fields for found in _models_in(field.annotation)]
    return models


def _models_in(annotation: Any) -> tuple[type[pydantic.BaseModel], ...]:
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return (annotation,)
    return tuple(found for part in get_args(annotation) for found in _models_in(part))
