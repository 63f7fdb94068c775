"""The entry point: runs a command, turns errors into sentences, and exits with a code."""

import contextlib
import os
import sys
import threading
import traceback
import warnings
from difflib import get_close_matches
from typing import Any

import click

from fastgc import errors
from fastgc.cli.arguments import end_job_of_ranks
from fastgc.cli.commands import cli
from fastgc.cli.log import BAR, JSON, NONE, Log
from fastgc.cli.terminal import BUG, DONE, FAILED, INTERRUPTED, MISTAKE, echo, open_streams


def main() -> None:
    """Run the command and exit with its code; a mistake is a sentence, never a traceback."""
    open_streams()
    log, usual = Log(), warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        # fastgc's own warnings, and its kernels', are remarks in its log
        if issubclass(category, errors.FastgcWarning) or getattr(category, "is_sentence", False):
            log.note(f"fastgc: {message}")
        else:
            usual(message, category, *where, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("always", errors.FastgcWarning)
        warnings.showwarning = show
        ended = threading.Event()
        threading.Thread(target=_say_what_is_compiled, args=(log, ended), daemon=True).start()
        code = _run(log)
        ended.set()
    sys.exit(code)


def _say_what_is_compiled(log: Log, ended: threading.Event) -> None:
    looks = 0  # that found kernels being compiled; a second of them is worth a sentence
    while looks <= 4 and not ended.wait(0.25):
        kernels = sys.modules.get("fastgc_kernels._sources")  # not loaded for this
        looks += bool(getattr(kernels, "COMPILING_NOW", None))
    form = log.form or os.environ.get("FASTGC_LOG")
    if looks > 4 and log.form != BAR and form != NONE:  # a bar says so itself
        log.note("fastgc: compiling kernels, once for this machine; about half a minute")


def _run(log: Log) -> int:
    try:
        code: int = cli.main(prog_name="fastgc", standalone_mode=False, obj=log)
    except click.exceptions.Exit as exit_:
        code = exit_.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        echo(error.format_message(), err=True)
        code = MISTAKE
    except click.ClickException as error:
        code = MISTAKE
        context = getattr(error, "ctx", None)
        names: list[str] = []
        while context is not None and context.parent is not None:
            names.insert(0, context.info_name)
            context = context.parent
        said = " ".join(error.format_message().split()).rstrip(".")
        if isinstance(error, click.NoSuchOption) and error.ctx is not None:
            known = {name.strip("-"): name for own in error.ctx.command.params for name in own.opts}
            near = get_close_matches(error.option_name.strip("-"), known, 1)
            meant = "".join(f". Did you mean '{known[name]}'?" for name in near)
            said = f"No such option '{error.option_name}'{meant}"
        log.fail([f"{said}; see `{' '.join(['fastgc', *names])} --help`"], code)
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
        log.fail(["interrupted"], code)
        end_job_of_ranks()
    except SystemExit:
        # only click leaves so: the reader of our output has gone, as in `fastgc show … | head`
        code = DONE
    except errors.LongTableError as error:  # of a study it would be one of its complaints
        code = MISTAKE
        log.fail([error.in_command], code)
    except errors.FastgcError as error:
        code = FAILED if isinstance(error, errors.StorageError | errors.WorkersError) else MISTAKE
        log.fail(
            error.complaints if isinstance(error, errors.MistakesError) else [str(error)], code
        )
    except MemoryError as error:
        code = MISTAKE
        why = str(error) or "out of memory"
        log.fail([f"the matrix does not fit into memory ({why}); take fewer workers"], code)
    except OSError as error:
        code = FAILED
        where = error.filename or "standard output"  # which commands print to
        log.fail([f"{where}: cannot be written ({error.strerror or error})"], code)
        # what stdout did not take goes nowhere: Python's own end would try, and fail, once more
        with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    except Exception:
        code, trace = BUG, traceback.format_exc()
        if log.form != JSON:
            echo(trace, err=True)
        log.fail(
            ["this is a bug; please report it with `fastgc help versions`"], code, traceback=trace
        )
    return code
