"""The commands. Each parses its arguments, calls one function, prints and sets the exit code.

Only click is imported here: everything else is loaded by the command that needs it, so that `--help` starts
as fast as it can.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from react_migrate import __version__

if TYPE_CHECKING:
    from react_migrate.engine import Options, Run

Command = TypeVar("Command", bound=Callable[..., Any])
DONE, LEFT, FAILED, INTERRUPTED = 0, 1, 2, 130


def _shared(command: Command) -> Command:
    """The arguments that `check` and `rewrite` have in common."""
    decorators = [
        click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True)),
        click.option(
            "--select", multiple=True, metavar="CODES", help="Only these rules (RM201) or groups (RM2)."
        ),
        click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules or groups."),
        click.option(
            "--exclude", multiple=True, metavar="GLOB", help="Pass over what matches, as in .gitignore."
        ),
        click.option(
            "--target",
            type=click.Choice(["auto", "window"]),
            default="auto",
            show_default=True,
            help="The DSPy releases the code has to run on: `window` is 3.3 to 3.6.",
        ),
        click.option(
            "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True
        ),
        click.option(
            "--stdin-filename",
            metavar="NAME",
            type=click.Path(path_type=Path),
            help="What to call the input of `-`.",
        ),
        click.option("--exit-zero", is_flag=True, help="Exit with 0 also when findings are left."),
        click.option("-q", "--quiet", is_flag=True, help="No summary."),
        click.option("-v", "--verbose", is_flag=True, help="Say also what was fixed."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


class _Main(click.Group):
    """The group of commands, with an end for everything that can end one."""

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # rather than fail at what it cannot show
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # nobody reads any more; click knows what to do
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123  # Python flushes it when it ends
            click.echo(f"Error: the report could not be written: {error.strerror or error}.", err=True)
            ctx.exit(FAILED)


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="react-migrate")
def main() -> None:
    """Move DSPy agents from dspy.ReAct's trajectory to its structured history.

    Exit codes: 0 nothing is left to do, 1 findings are left (or --diff would change something), 2 the job
    could not be done.
    """


@main.command()
@_shared
@click.option(
    "--why", metavar="PLACE", help="Show how the verdict at PATH:LINE or PATH:LINE:COLUMN came about."
)
def check(paths: tuple[Path, ...], why: str | None, **settings: Any) -> None:
    """Report what DSPy 3.5 breaks in PATHS (default: the current folder). Changes nothing.

    With `-` standard input is checked.
    """
    options = _options(settings)
    if why is not None:
        _show_why(paths, options, why)
        return
    run, _ = _run(paths, options, settings)
    _report(run, settings)
    _exit(run, settings)


@main.command()
@_shared
@click.option("--diff", is_flag=True, help="Show what would change; write nothing.")
@click.option("--unsafe", is_flag=True, help="Apply also fixes that are only probably right.")
@click.option("--annotate", is_flag=True, help="Put a TODO comment above what needs a human.")
def rewrite(paths: tuple[Path, ...], diff: bool, unsafe: bool, annotate: bool, **settings: Any) -> None:
    """Apply the safe fixes in PATHS (default: the current folder), in place.

    With `-` standard input is rewritten to standard output, and the report goes to standard error.
    """
    options = _options(settings, fix=True, write=not diff, unsafe=unsafe, annotate=annotate)
    as_json = settings["output_format"] == "json"
    if _is_stdin(paths) and as_json and not diff:
        raise click.UsageError("`rewrite -` prints the new source; for JSON use `check -`.")
    run, stdin = _run(paths, options, settings)
    if diff and not as_json:
        _print_diff(run)
    elif stdin is not None and not as_json:
        _print_bytes(next((job.after.raw for job in run.jobs if job.after), stdin))
    _report(run, settings, rewriting=True, to_stderr=diff or stdin is not None)
    _exit(run, settings, would_change=diff)


@main.command()
@click.argument(
    "sources", nargs=-1, required=True, metavar="INPUT...", type=click.Path(path_type=Path, allow_dash=True)
)
@click.option("-o", "--output", required=True, help="Where to: a file, a folder, or - for standard output.")
@click.option("--reverse", is_flag=True, help="From histories back to trajectories.")
@click.option("--trajectory", metavar="FIELD", help="The field with the trajectory; else it is searched for.")
@click.option("--history-field", metavar="NAME", default="history", show_default=True, help="Its new name.")
@click.option("--inputs", metavar="A,B", help="The fields that are the signature's inputs.")
@click.option("--outputs", metavar="C,D", help="The fields that are the signature's outputs.")
@click.option("--kind", metavar="SHAPE", help="Its shape: flat, steps, turns, messages, repl, repl-text.")
@click.option("--rejects", metavar="FILE", type=click.Path(path_type=Path), help="Where rejected records go.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="How many processes.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no summary.")
def convert(sources: tuple[Path, ...], **options: Any) -> None:
    """Convert the trajectories in files of stored runs to histories, which the new engine goes on from.

    Trajectories are those of ReAct agents and of RLMs.

    INPUT is JSON, JSONL, CSV or Parquet, gzip or zstd around it, a folder of these, or - for standard input.
    Every record keeps its other fields. OUTPUT appears when everything is complete, or not at all.

    Exit codes: 0 everything is converted, 1 records were rejected, 2 the job could not be done.
    """
    from react_migrate.stored.command import run_convert

    click.get_current_context().exit(run_convert(sources, options))


@main.command()
@click.argument("code")
def explain(code: str) -> None:
    """What the rule CODE finds, why, what its fix does and when that is not safe."""
    from react_migrate.report.rules import explained
    from react_migrate.rules import all_rules
    from react_migrate.selection import UnknownCodeError, one_code

    try:
        rule = all_rules()[one_code(all_rules(), code)]
    except UnknownCodeError as error:
        raise click.UsageError(str(error)) from error
    click.echo(explained(rule))


@main.command()
def rules() -> None:
    """All rules: code, whether they can fix what they find, and what that is."""
    from react_migrate.report.rules import listed
    from react_migrate.rules import all_rules

    for line in listed(all_rules().values()):
        click.echo(line)


def _show_why(paths: Sequence[Path], options: Options, place: str) -> None:
    from react_migrate.engine import program_of
    from react_migrate.report.escape import printable
    from react_migrate.why import Asked, NoSuchPlaceError, why

    try:
        asked = Asked.parse(place)
        here = asked.path.resolve().is_relative_to(Path.cwd())
        program = program_of(list(paths) or [Path() if here else asked.path.parent], options)
        for line in why(program, asked):
            click.echo(printable(line))
    except NoSuchPlaceError as error:
        raise click.UsageError(str(error)) from error


def _options(settings: dict[str, Any], **fixing: Any) -> Options:
    from react_migrate.engine import Options
    from react_migrate.rules import all_rules
    from react_migrate.selection import UnknownCodeError, select, split_codes

    try:
        codes = select(all_rules(), split_codes(settings["select"]), split_codes(settings["ignore"]))
    except UnknownCodeError as error:
        raise click.UsageError(str(error)) from error
    return Options(codes, exclude=settings["exclude"], **fixing)


def _is_stdin(paths: Sequence[Path]) -> bool:
    if Path("-") in paths and len(paths) > 1:
        raise click.UsageError("`-` (standard input) cannot be combined with other paths.")
    return list(paths) == [Path("-")]


def _run(paths: Sequence[Path], options: Options, settings: dict[str, Any]) -> tuple[Run, bytes | None]:
    """The run, and what was read from standard input if that was what to look at."""
    from react_migrate import engine

    if not _is_stdin(paths):
        if settings["stdin_filename"] is not None:
            raise click.UsageError("--stdin-filename goes with `-`, which reads standard input.")
        return engine.run(list(paths) or [Path()], options), None
    raw = sys.stdin.buffer.read()
    return engine.run_text(settings["stdin_filename"] or Path("-"), raw, options), raw


def _report(run: Run, settings: dict[str, Any], rewriting: bool = False, to_stderr: bool = False) -> None:
    from react_migrate.report import text

    if not run.checked and not run.jobs and not run.interrupted:
        click.echo(text.NOTHING_FOUND, err=True)
        if settings["output_format"] == "text":
            return

    if settings["output_format"] == "json":
        from react_migrate.report.as_json import as_json

        click.echo(as_json(run))
        return
    if (sys.stderr if to_stderr else sys.stdout).isatty():
        from rich.console import Console

        from react_migrate.report import terminal

        terminal.show(run, Console(stderr=to_stderr, highlight=False), settings["verbose"])
    else:
        for line in text.lines(run, settings["verbose"]):
            click.echo(line, err=to_stderr)
    if not settings["quiet"]:
        for line in text.summary(run, rewriting=rewriting):
            click.echo(line, err=to_stderr)


def _print_diff(run: Run) -> None:
    if sys.stdout.isatty():
        from rich.console import Console

        from react_migrate.report import terminal

        for job in run.jobs:
            terminal.show_diff(job, Console(highlight=False))
        return
    from react_migrate.report.diff import unified

    _print_bytes(b"".join(line for job in run.jobs for line in unified(job)))


def _print_bytes(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _exit(run: Run, settings: dict[str, Any], would_change: bool = False) -> None:
    code = DONE
    if any(job.left for job in run.jobs) or (would_change and any(job.changed for job in run.jobs)):
        code = DONE if settings["exit_zero"] else LEFT
    if any(finding.code in ("RM002", "RM003") for job in run.jobs for finding in job.left):
        code = FAILED
    if run.interrupted:
        code = INTERRUPTED
    click.get_current_context().exit(code)
