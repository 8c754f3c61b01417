"""Lines converted by several processes, in order.

Workers read their part of a plain file themselves, and write it into a plain file themselves, so that this
process has little to do but to say who does what: it tells each part's place in the output once the sizes of
all parts before are known. Where the input has to be unpacked, or the output is to be packed or is a stream,
the data goes through this process.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from react_migrate.files import reason
from react_migrate.report.escape import shown
from react_migrate.stored.errors import StoredError
from react_migrate.stored.lines import LineConverter, LinesResult
from react_migrate.stored.output import Output
from react_migrate.stored.settings import Settings

_PART = 1 << 20  # bytes of input
_READ = 1 << 16
_WRITE = 1 << 17
_AHEAD = 4  # parts for each worker that may be converted and not yet written
_EXIT_SECONDS = 5.0


class Span(NamedTuple):
    """A part of a file: the lines that begin in it."""

    path: Path
    start: int
    stop: int


Batch: TypeAlias = "Span | Sequence[bytes]"


def spans_of(path: Path, file: BinaryIO) -> Iterator[Span]:
    """A file in parts. `file` is the same file; its position says how far it is given out."""
    size = file.seek(0, os.SEEK_END)
    for start in range(0, size, _PART):
        yield Span(path, start, file.seek(min(start + _PART, size)))


def batches_of(stream: BinaryIO) -> Iterator[Sequence[bytes]]:
    """A stream in parts."""
    while lines := stream.readlines(_PART):
        yield lines


class _Worker:
    """A process, as this one sees it."""

    def __init__(self, settings: Settings, target: Path | None) -> None:
        context = multiprocessing.get_context("spawn")  # nothing of this process's state goes along
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, settings, target), daemon=True)
        with _without_interrupts():
            self.process.start()
        theirs.close()
        self.load = 0  # parts that it has to convert

    def stop(self) -> None:
        self.connection.close()
        self.process.join(_EXIT_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """A process that starts meanwhile never gets to feel Ctrl-C, which is for the one who gives orders."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread, which alone may say so
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def convert_parallel(
    batches: Iterator[Batch],
    output: Output,
    settings: Settings,
    jobs: int,
    on_result: Callable[[LinesResult], None],
) -> None:
    """Convert batches in `jobs` processes. `on_result` is called for each, in order.

    Raises:
        StoredError: the input cannot be read, the output not be written, or a process was killed.
    """
    workers = [_Worker(settings, output.plain_path) for _ in range(jobs)]
    try:
        _Conversion(workers, output, on_result).run(batches)
    except (EOFError, ConnectionError) as error:
        raise StoredError(
            "a worker process ended before its work was done (was it killed, or out of memory?); try again "
            "with --jobs 1"
        ) from error
    finally:
        for worker in workers:
            worker.stop()


class _Conversion:
    """The state of one conversion: which parts are where."""

    def __init__(
        self, workers: Sequence[_Worker], output: Output, on_result: Callable[[LinesResult], None]
    ) -> None:
        self._workers = {worker.connection: worker for worker in workers}
        self._output = output
        self._is_direct = output.plain_path is not None
        self._on_result = on_result
        self._given = 0  # parts handed out
        self._done = 0  # parts whose place in the output is known
        self._unwritten = 0  # of these, parts that are not in it yet
        self._offset = 0
        self._converted: dict[int, tuple[_Worker, Any, LinesResult]] = {}

    def run(self, batches: Iterator[Batch]) -> None:
        following = next(batches, None)
        while True:
            while following is not None and (worker := self._free_worker(following)) is not None:
                worker.connection.send(("convert", self._given, following))
                worker.load += 1
                self._given += 1
                following = next(batches, None)
            if following is None and self._done == self._given and not self._unwritten:
                return
            for connection in wait(list(self._workers)):
                assert isinstance(connection, Connection)
                self._receive(self._workers[connection], connection.recv())
            self._place()

    def _free_worker(self, batch: Batch) -> _Worker | None:
        """A worker that may be given a part.

        One that has data to send would not take data at the same time: each would wait for the other. A span
        is small enough to wait in the pipe.
        """
        if self._given - self._done >= _AHEAD * len(self._workers):
            return None
        least = min(self._workers.values(), key=lambda worker: worker.load)
        return least if least.load < (2 if isinstance(batch, Span) else 1) else None

    def _receive(self, worker: _Worker, message: tuple[Any, ...]) -> None:
        kind, *content = message
        if kind == "converted":
            number, product, result = content
            worker.load -= 1
            self._converted[number] = (worker, product, result)
        elif kind == "written":
            self._unwritten -= 1
        else:
            raise StoredError(content[0])

    def _place(self) -> None:
        """Let parts be written whose place is known now."""
        while (found := self._converted.pop(self._done, None)) is not None:
            worker, product, result = found
            if self._is_direct:  # then the product is the size of what the worker has
                worker.connection.send(("write", self._done, self._offset))
                self._offset += product
                self._unwritten += 1
            else:
                with self._output.writing() as write:
                    write(product)
            self._done += 1
            self._on_result(result)


def _work(connection: Connection, settings: Settings, target: Path | None) -> None:
    """A worker's life: it does what it is told until the other end is closed."""
    converter = LineConverter(settings)
    products: dict[int, list[bytes]] = {}
    while True:
        try:
            order, number, what = connection.recv()
        except (EOFError, ConnectionError):
            return
        try:
            if order == "convert":
                product: list[bytes] = []
                result = _convert(converter, what, product.append)
                if target is not None:
                    products[number] = product
                    connection.send(("converted", number, sum(map(len, product)), result))
                else:
                    connection.send(("converted", number, b"".join(product), result))
            elif target is not None:
                _write_at(target, what, products.pop(number))
                connection.send(("written", number))
        except (BrokenPipeError, ConnectionResetError):
            return
        except StoredError as error:
            connection.send(("failed", str(error)))


def _convert(converter: LineConverter, batch: Batch, write: Callable[[bytes], Any]) -> LinesResult:
    if not isinstance(batch, Span):
        return converter.convert(batch, write)
    try:
        with batch.path.open("rb", buffering=_READ) as file:
            return converter.convert(_lines(file, batch), write)
    except OSError as error:
        raise StoredError(f"{shown(batch.path)}: {reason(error)}") from error


def _lines(file: BinaryIO, span: Span) -> Iterator[bytes]:
    """The lines that begin in a part of the file."""
    size = span.stop - span.start
    if span.start:
        file.seek(span.start - 1)
        begun = file.readline(size)  # the end of a line that began before, or only the end of one
        if not begun.endswith(b"\n"):
            return
        size -= len(begun) - 1
    while size > 0 and (lines := file.readlines(min(_READ, size))):
        for line in lines:
            if size <= 0:
                return  # `readlines` may give one line more than was asked for
            size -= len(line)
            yield line


def _begin_to_store(file: int, offset: int, size: int) -> None:
    """Let the system write a part to disk while the next ones are converted, where it can be told to: at the
    end everybody would wait for all of it."""
    if sys.platform == "linux":
        os.posix_fadvise(file, offset, size, os.POSIX_FADV_DONTNEED)


def _write_at(target: Path, offset: int, lines: Sequence[bytes]) -> None:
    try:
        with target.open("r+b", buffering=_WRITE) as file:
            file.seek(offset)
            file.writelines(lines)
            file.flush()
            _begin_to_store(file.fileno(), offset, file.tell() - offset)
    except OSError as error:
        raise StoredError(f"the output could not be written: {reason(error)}") from error
