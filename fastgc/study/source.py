"""Where a study's data comes from: a file, a packaged study, or Python."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastgc.errors import FastgcError, FastgcWarning, StudyError
from fastgc.registry.complaints import Complaint, Location, lines, nearest, one_line
from fastgc.results import store
from fastgc.study.packaged import packaged
from fastgc.version import STREAM_VERSION

#: What files of results begin with, before bytes that are no text.
RESULTS = b"fastgc results\n"
LONGEST = 16 * 10**6  # bytes of a study
_MOST_LINES = 100


def refusal(
    where: str | None,
    complaints: Iterable[Complaint],
    place: Callable[[Location], Location] = lambda location: location,
) -> StudyError:
    """Return the error with a line for every complaint, each at its place as the user knows it."""
    written = lines(Complaint(place(location), sentence) for location, sentence in complaints)
    rest = len(written) - _MOST_LINES
    if rest > 0:
        written = [*written[:_MOST_LINES], f"and {rest} more of this kind"]
    return StudyError([line if where is None else f"{where}: {line}" for line in written])


@dataclass(frozen=True)
class Source:
    """A study's data and where it came from."""

    data: dict[str, Any]
    where: str  #: What messages call it.
    folder: Path  #: Where relative file names start.
    file: str | None  #: The file's name; None for data made in Python.
    text: str | None  #: The file's text.

    def context(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what members of the study's data need to find their files."""
        files = data.get("files")
        return {"folder": self.folder, "files": files if isinstance(files, dict) else {}}

    @staticmethod
    def of(source: Mapping[str, Any] | str | Path) -> "Source":
        """Read a file or a packaged study, or take data as it is.

        Raises StudyError if it cannot be read, is no UTF-8 text or no TOML.
        """
        if isinstance(source, Mapping):
            return Source(dict(source), "study", Path(), None, None)
        if isinstance(source, str | Path):
            return _read(str(source))
        raise StudyError(
            [f"study: must be a file name, a dict or a Study (got {type(source).__name__})"]
        )


def _read(name: str) -> Source:
    where, path = one_line(name), Path(name)

    def refuse(sentence: str) -> StudyError:
        return StudyError([f"{where}: {sentence}"])

    folder = path.parent
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # it may have no end
            raise refuse("is no plain file; name a study file")
        with path.open("rb") as file:
            content = file.read(len(RESULTS))
            if content != RESULTS:  # of a file of results, only what it begins with
                content += file.read(LONGEST)
    except IsADirectoryError:
        raise refuse("is a directory; name a study file in it") from None
    except FileNotFoundError:
        studies = packaged()
        if name not in studies:
            near = nearest(name, studies) or "; `fastgc help studies` lists the packaged ones"
            raise refuse(f"no such file and no packaged study{near}") from None
        content, folder = studies[name].read_bytes(), Path()
    except (OSError, ValueError) as problem:
        if isinstance(problem, StudyError):
            raise
        raise refuse(f"cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    if content == RESULTS:
        try:
            stored = store.load(path)
        except FastgcError as problem:
            raise StudyError([str(problem)]) from None
        if not stored.study:
            raise refuse("holds a validation; `fastgc validate` of the same claims repeats it")
        stream = stored.provenance.get("stream_version")
        if stream != STREAM_VERSION:
            FastgcWarning.warn(
                f"{where}: was sampled with stream version {stream}, this fastgc has "
                f"{STREAM_VERSION}: other trials are drawn, and numbers agree within their "
                "intervals alone"
            )
        return Source(_parsed(stored.study, where), where, folder, name, stored.study)
    if len(content) > LONGEST:
        raise refuse(f"has more than {LONGEST // 10**6} MB; put large data into files")
    if not content.strip():
        raise refuse("is empty; a study needs at least one [[experiment]]")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line, byte = content.count(b"\n", 0, problem.start) + 1, content[problem.start]
        raise refuse(
            f"line {line}: is not UTF-8 text (byte 0x{byte:02x}); save it as UTF-8"
        ) from None
    return Source(_parsed(text, where), where, folder, name, text)


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        reason, _, place = str(problem).removesuffix(")").rpartition(" (at ")
        said = f"{f'{place}: {reason}' if reason else problem}; the file must be TOML"
        if typo := re.search(r"^[ \t]*(\[+experiments\b.*?\]+)", text, re.MULTILINE):
            line = 1 + text.count("\n", 0, typo.start())
            said = f"line {line}: {typo[1]} must be written [[experiment]]"
    except RecursionError:
        said = "is nested too deeply"
    except ValueError as problem:
        # tomllib leaves integers of thousands of digits to Python, which refuses them.
        said = str(problem)
    raise StudyError([one_line(f"{where}: {said}")])
