"""The `timegrain` command: parses, runs one command, turns errors into exit statuses."""

import functools
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import cyclopts

from timegrain._version import __version__
from timegrain.cli.advise import advise
from timegrain.cli.certify import certify
from timegrain.cli.check import check
from timegrain.cli.check_source import check_source
from timegrain.cli.convert import strict
from timegrain.cli.data import data
from timegrain.cli.demo import demo
from timegrain.cli.doctor import doctor
from timegrain.cli.interrupts import Terminated
from timegrain.cli.localise import localise
from timegrain.cli.ls import ls
from timegrain.cli.merge import merge
from timegrain.cli.model import model
from timegrain.cli.remedy import remedy
from timegrain.cli.report import report
from timegrain.cli.selectivity import selectivity
from timegrain.cli.several import in_one_voice
from timegrain.cli.study import study
from timegrain.cli.train import USAGE, train
from timegrain.cli.transfer import transfer
from timegrain.cli.waiting import wait_briefly
from timegrain.cli.wording import for_terminal, speaking, wrapped
from timegrain.core.errors import TimegrainError

app = cyclopts.App(
    name="timegrain",
    help="Can I sample slower, train cheaper, and will my model survive another sampling rate?",
    version=__version__,
    default_parameter=cyclopts.Parameter(converter=strict),
    suppress_keyboard_interrupt=False,  # run() answers it
)
for _command in (
    data,
    merge,
    advise,
    model,
    localise,
    remedy,
    certify,
    selectivity,
    check,
    check_source,
    transfer,
    study,
    report,
    ls,
    doctor,
    demo,
):
    app.command(_command)
app.command(train, usage=USAGE)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status.

    Args:
        arguments: The words after `timegrain`.

    Returns:
        0 when done, 1 when a `--fail-under` limit was missed or a check failed, 2 for a usage or
        input error.
    """
    with speaking(functools.cache(lambda: _options(arguments))):
        return in_one_voice(_run, arguments)


def _options(arguments: Sequence[str]) -> frozenset[str]:
    """Return the options of the command that the words begin with, as Python spells them."""
    _, commands, _ = app.parse_commands(list(arguments))
    found = commands[-1].assemble_argument_collection()
    names = (name for argument in found for name in argument.names)
    return frozenset(n.removeprefix("--").replace("-", "_") for n in names if n[:2] == "--")


def _run(arguments: Sequence[str]) -> int:
    try:
        status = app(list(arguments), exit_on_error=False, print_error=False, result_action=_status)
    except cyclopts.CycloptsError as error:
        print(for_terminal(f"error: {error}"), file=sys.stderr)
        print("Try timegrain --help, or timegrain COMMAND --help.", file=sys.stderr)
        return 2
    except TimegrainError as error:
        print(for_terminal(f"error: {error}"), file=sys.stderr)
        return 2
    except BrokenPipeError:
        # the reader of stdout (head, less) has left; point stdout elsewhere so that exit is quiet
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(wrapped(f"error: the system refused, got {error}."), file=sys.stderr)
        return 2
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate memory" not in str(error):
            raise
        hint = "Try smaller numbers: a shorter length, fewer levels, a narrower model."
        print(f"error: this does not fit in memory.\n{hint}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print("interrupted", file=sys.stderr)
        return 143 if isinstance(stop, Terminated) else 130
    return status


def main() -> NoReturn:
    """Entry point of the console script."""
    wait_briefly()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal that cannot show a letter shows its code, and the result stands
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def _status(result: object) -> int:
    return result if isinstance(result, int) and not isinstance(result, bool) else 0
