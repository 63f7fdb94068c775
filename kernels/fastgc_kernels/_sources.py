"""What kernels are made from, and where compiled ones are kept."""

import hashlib
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FOLDER = Path(__file__).parent
PACKAGE = FOLDER.name
#: Decides how every kernel is compiled, and counts with each.
COMPILER = f"{PACKAGE}._compiling"
#: Decide when a kernel is compiled, not into what.
MACHINERY = {f"{PACKAGE}._jit", f"{PACKAGE}._sources"}
#: Names of kernels that are compiled at the moment: shown to people who wait.
COMPILING_NOW: list[str] = []
_IMPORT = re.compile(
    rf"^from ({PACKAGE}(?:\.\w+)*) import (?:\(([^)]*)\)|([^\n#]*))", flags=re.MULTILINE
)


def imported(text: str) -> set[str]:
    """Modules of this package that a source may import: also names that turn out to be none."""
    found = set()
    for home, several, one in _IMPORT.findall(text):
        names = re.findall(r"\w+", several or one)
        found |= {home, *(f"{home}.{name}" for name in names)}
    return found


class Sources:
    """The sources of all kernels, and digests of them."""

    def __init__(self) -> None:
        self._texts: dict[str, bytes] = {}
        for path in sorted(FOLDER.rglob("*.py")):
            names = PACKAGE, *path.relative_to(FOLDER).with_suffix("").parts
            self._texts[".".join(names).removesuffix(".__init__")] = path.read_bytes()
        self._of: dict[str, str] = {}

    def digest(self) -> str:
        """Hash of all of them and of what compiles them."""
        return self._hashed(self._texts)

    def digest_of(self, module: str) -> str:
        """Hash of a module, of all that it imports, and of what compiles them.

        A module outside the package counts with all of the package.
        """
        if module not in self._of:
            self._of[module] = self._hashed(self.behind(module))
        return self._of[module]

    def behind(self, module: str) -> set[str]:
        """A module and all modules of the package that it imports, directly or not."""
        found: set[str] = set()
        fresh = {module, COMPILER} if module in self._texts else set(self._texts)
        while fresh:
            found |= fresh
            texts = (self._texts[each].decode() for each in fresh)
            fresh = (set().union(*map(imported, texts)) & self._texts.keys()) - found - MACHINERY
        return found

    def _hashed(self, modules: Iterable[str]) -> str:
        digest = hashlib.sha256(_compiler_version().encode())
        for module in sorted(modules):
            digest.update(module.encode() + b"\0" + self._texts[module] + b"\0")
        return digest.hexdigest()[:16]


@cache
def _compiler_version() -> str:
    try:
        return version("numba")
    except PackageNotFoundError:  # where it is on the path, but not installed
        return "unknown"


@cache
def sources() -> Sources:
    """The sources, read at the first call."""
    return Sources()


@cache
def source_digest() -> str:
    """Hash of the sources of all kernels and of what compiles them."""
    return sources().digest()


class KernelCacheWarning(UserWarning):
    """Compiled kernels that are not used, and why: one sentence with the remedy."""

    is_sentence = True  # the command shows it as it is


def is_own(status: os.stat_result) -> bool:
    """Whether only the user and root can have written a file or folder.

    A kept kernel is a pickle with machine code: loading it runs what its writer chose.
    """
    if not hasattr(os, "geteuid"):  # Windows, where others do not write in a user's folders
        return True
    return status.st_uid in (0, os.geteuid()) and not status.st_mode & 0o022


@cache
def refuse(path: str, instead: str) -> None:
    """Say once that what others can write is not loaded, and what happens instead."""
    others = "belongs to another user or can be written by others, and loading a kernel runs code"
    warnings.warn(f"{path} {others}: {instead}", KernelCacheWarning, stacklevel=2)


@cache
def cache_folder(name: str = "kernels") -> str | None:
    """The place of compiled kernels; None where there is none, or others can write it.

    A folder that can only be read serves where it holds kernels.
    """
    if os.environ.get("NUMBA_CACHE_DIR"):
        root = Path(os.environ["NUMBA_CACHE_DIR"])
    elif os.environ.get("XDG_CACHE_HOME"):
        root = Path(os.environ["XDG_CACHE_HOME"]) / "fastgc"
    else:
        try:
            root = Path.home() / ".cache" / "fastgc"
        except RuntimeError:
            return None
    folder = root / name
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder.mkdir(0o700, exist_ok=True)  # no other user writes here, whatever the umask
        status = folder.stat()
        if is_own(status):
            holds = any(name.endswith(".nbc") for name in os.listdir(folder))
            return str(folder) if holds or _is_writable(folder) else None
    except OSError:
        return None
    refuse(
        str(folder),
        "kernels are compiled and not kept; remove it, or name a folder in NUMBA_CACHE_DIR that "
        "only you can write",
    )
    return None


def _is_writable(folder: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def file_base(module: str, name: str) -> str:
    """What the files of a compiled kernel begin with: whose it is, for which Python and sources."""
    own = f"{module.removeprefix(f'{PACKAGE}.')}.{name}"
    return f"{own}.{sys.implementation.cache_tag}.{sources().digest_of(module)}"


@cache
def _kept() -> set[str]:
    folder = cache_folder()
    names = os.listdir(folder) if folder else []
    return {name.rsplit(".", 2)[0] for name in names if name.endswith(".nbc")}


def is_kept(module: str, name: str) -> bool:
    """Whether a compiled form of a kernel was on disk when this was first asked."""
    return file_base(module, name) in _kept()
