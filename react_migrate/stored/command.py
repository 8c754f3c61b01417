"""`react-migrate convert`: from the command line to a request, from its outcome to an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from react_migrate.report.escape import printable
from react_migrate.stored import summary
from react_migrate.stored.batch import Request, run
from react_migrate.stored.errors import StoredError
from react_migrate.stored.output import ReaderGoneError
from react_migrate.stored.settings import Settings
from react_migrate.stored.shapes import KINDS

DONE, REJECTED, FAILED, INTERRUPTED = 0, 1, 2, 130


def run_convert(inputs: tuple[Path, ...], options: Mapping[str, Any]) -> int:
    """Does the work of the command, and says on standard error what was done. Returns the exit code.

    Raises `click.UsageError` for options that do not go together.
    """
    request = _request(inputs, options)
    try:
        outcome = run(request)
    except KeyboardInterrupt:
        click.echo("Interrupted: nothing was written.", err=True)
        return INTERRUPTED
    except ReaderGoneError as error:
        _forget_stdout()
        click.echo(f"Error: {error}.", err=True)
        return FAILED
    except MemoryError:
        click.echo(
            "Error: a record, or a JSON document, is larger than the memory. Nothing was written.", err=True
        )
        return FAILED
    except StoredError as error:
        click.echo(f"Error: {printable(str(error))}.", err=True)
        return FAILED
    if not options["quiet"]:
        for line in summary.lines(request, outcome):
            click.echo(line, err=True)
    for why in outcome.failed:
        click.echo(f"Error: {printable(why)}.", err=True)
    if outcome.failed:
        return FAILED
    return REJECTED if outcome.rejects.count else DONE


def _request(inputs: tuple[Path, ...], options: Mapping[str, Any]) -> Request:
    kind = options["kind"]
    if kind is not None and kind not in KINDS:
        raise click.UsageError(f"--kind is one of {', '.join(KINDS)}; not {kind!a}")
    if options["reverse"] and (options["inputs"] is not None or options["outputs"] is not None):
        raise click.UsageError(
            "--inputs and --outputs are for the way forward; --reverse has no use for them"
        )
    output = options["output"]
    return Request(
        inputs=inputs,
        output=Path(output),
        output_is_folder=output.endswith((os.sep, os.altsep or os.sep)),
        settings=Settings(
            reverse=options["reverse"],
            trajectory=options["trajectory"],
            history_field=options["history_field"],
            inputs=_names(options["inputs"]),
            outputs=_names(options["outputs"]),
            kind=kind,
        ),
        rejects=options["rejects"],
        jobs=options["jobs"],
        show_progress=not options["quiet"],
    )


def _names(text: str | None) -> tuple[str, ...] | None:
    """Field names separated by commas; an empty text names none."""
    return None if text is None else tuple(name.strip() for name in text.split(",") if name.strip())


def _forget_stdout() -> None:
    """Keeps Python from writing the rest to a closed pipe, and complaining about it, when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
