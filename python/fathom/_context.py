# SPDX-License-Identifier: Apache-2.0
"""Contexts: seed, threads, limits, messages and interruption of the calls that belong together.

Calls run without the interpreter's lock. Ctrl-C asks the running computation to stop and is raised as KeyboardInterrupt
when it has. One context serves one call at a time: others wait for it.
"""
from __future__ import annotations

import ctypes
import logging
import math
import os
import re
import signal
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterable

from . import _declarations as api
from . import errors
from ._library import lib

if TYPE_CHECKING:
    from ._types import Path

logger = logging.getLogger("fathom")
_FLAG = re.compile(r"(?<!\S)--([a-z][a-z0-9-]*)")  # an option as the program has it
_LEVELS = {api.FATHOM_LOG_WARNING: logging.WARNING, api.FATHOM_LOG_INFO: logging.INFO,
           api.FATHOM_LOG_DEBUG: logging.DEBUG}
_ERRORS = {api.FATHOM_ERROR_RUNTIME: errors.RunError, api.FATHOM_ERROR_USAGE: errors.UsageError,
           api.FATHOM_ERROR_CERTIFICATE: errors.CertificateError, api.FATHOM_ERROR_INPUT: errors.InputError,
           api.FATHOM_ERROR_MEMORY: errors.OutOfMemoryError, api.FATHOM_ERROR_STOPPED: errors.StoppedError}


def _log(user: Any, level: int, text: bytes) -> None:
    logger.log(_LEVELS.get(level, logging.INFO), "%s", text.decode(errors="replace"))


_LOG = api.fathom_log_function(_log)


class Progress:
    """Where a computation stands, as its listener hears it.

    Parameters
    ----------
    record : object
        the library's own

    Attributes
    ----------
    stage : str
        what is being done
    iteration : int
        how many steps of it were made
    value : float
        the best objective so far; NaN where there is none
    bound : float
        what is proved so far; NaN where nothing is
    seconds : float
        since the call began

    Examples
    --------
    >>> import fathom
    >>> heard = []
    >>> fit = fathom.train("gen:xor,n=64", progress=heard.append)
    >>> all(record.seconds >= 0 for record in heard)
    True
    """

    __slots__ = ("stage", "iteration", "value", "bound", "seconds")

    def __init__(self, record: Any) -> None:
        self.stage = record.stage.decode() if record.stage else ""
        self.iteration, self.value = record.iteration, record.value
        self.bound, self.seconds = record.bound, record.seconds

    def __repr__(self) -> str:
        return (f"Progress(stage={self.stage!r}, iteration={self.iteration}, value={self.value:.6g}, "
                f"bound={self.bound:.6g}, seconds={self.seconds:.3g})")


def encode_path(path: Path) -> bytes:
    """A file name or specification as the library's bytes; a zero byte would silently end it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise errors.UsageError(f"{path!r}: the name contains a zero byte")
    return encoded


def check_files(context: Context, files: Iterable[tuple[Any, str, int]]) -> None:
    """Refuses (path, name, purpose) triples of which two name one file that would be lost, and outputs that cannot be written."""
    files = list(files)
    uses = (api.fathom_file_use * len(files))(*((encode_path(path), name.encode(), purpose) for path, name, purpose in files))
    context.call(lib.fathom_files_check, context.handle, uses, len(files))


class Context:
    """Owns a context of the library: seed, threads, limits and listeners of the calls that belong together.

    Parameters
    ----------
    seed : int, default 1
        where random draws begin, 64 bits
    threads : int, default 0
        number of threads; 0 means all cores
    time_limit : float, optional
        seconds of each call, whatever it consists of
    progress : callable, optional
        hears of progress (a `Progress` record); returning False stops
    memory : float, optional
        GB that a call may use

    Attributes
    ----------
    course : list of Progress
        records of the last call
    lock : RLock
        one call at a time

    Examples
    --------
    >>> import fathom
    >>> data = fathom.Data([[1.0], [2.0]], [1.0, 0.0], context=fathom.Context(seed=2, threads=1))
    >>> fathom.train(data).objective > 0
    True
    """

    COURSE = 1000  # progress records kept, thinned out evenly beyond

    def __init__(self, seed: int = 1, threads: int = 0, time_limit: float | None = None,
                 progress: Callable[[Progress], bool | None] | None = None, memory: float | None = None) -> None:
        handle = ctypes.POINTER(api.fathom_context)()
        if lib.fathom_context_create(ctypes.byref(handle), None) != api.FATHOM_OK:
            raise errors.OutOfMemoryError("no memory for a context")
        self.handle = handle
        self._finalizer = weakref.finalize(self, lib.fathom_context_free, handle)
        self.lock = threading.RLock()
        self.course: list[Progress] = []
        self._every = self._seen = 0
        self._failure: BaseException | None = None
        self._begun = False  # a command of several calls of the library: one clock for all
        self._progress: Callable[[Progress], bool | None] | None = None
        self.bar: Any = None  # of the call that runs, closed at its end
        self.configure(seed, threads, time_limit, progress, memory)
        # A cycle through self would keep the context alive until the garbage collector runs.
        me = weakref.ref(self)
        self._callback = api.fathom_progress_function(lambda user, record: _hear(me(), record))
        lib.fathom_context_set_log(handle, _LOG, None)
        lib.fathom_context_set_progress(handle, self._callback, None)

    def configure(self, seed: int = 1, threads: int = 0, time_limit: float | None = None,
                  progress: Callable[[Progress], bool | None] | None = None, memory: float | None = None) -> None:
        """Sets anew what a context was made with.

        Parameters
        ----------
        seed : int, default 1
            where random draws begin
        threads : int, default 0
            number of threads; 0 means all cores
        time_limit : float, optional
            seconds of each call
        progress : callable, optional
            hears of progress
        memory : float, optional
            GB that a call may use

        Examples
        --------
        >>> import fathom
        >>> fathom.Context().configure(seed=3, time_limit=10)
        """
        if not isinstance(seed, int) or not 0 <= seed < 2 ** 64:
            raise errors.UsageError(f"seed: expected an integer from 0 to 2^64 - 1, got {seed!r}")
        lib.fathom_context_set_seed(self.handle, seed)
        if not 0 <= int(threads or 0) <= 4096 or int(threads or 0) != (threads or 0):
            raise errors.UsageError(f"threads: expected a number of threads up to 4096, or 0 for all cores, got {threads!r}")
        lib.fathom_context_set_threads(self.handle, int(threads or 0))
        limit = math.inf if time_limit is None else float(time_limit)
        if not limit >= 0:
            raise errors.UsageError(f"time_limit: expected seconds, got {time_limit!r}")
        lib.fathom_context_set_time_limit(self.handle, limit)
        bytes_ = math.nan if memory is None else 1e9 * float(memory)
        if bytes_ <= 0 or (memory is not None and math.isnan(bytes_)):
            raise errors.UsageError(f"memory: expected GB, got {memory!r}")
        lib.fathom_context_set_memory_limit(self.handle, bytes_)
        self._progress = progress

    def _listen(self, record: Any) -> bool:
        """Keeps the record, passes it on; True asks the computation to stop. An exception stops it and is raised later."""
        try:
            self._keep(record)
            if self._progress is not None:
                return self._progress(Progress(record)) is False
        except BaseException as error:  # noqa: B902 - nothing may pass through C
            self._failure = error
            return True
        return False

    def _keep(self, record: Any) -> None:
        self._seen += 1
        if self._seen % self._every:
            return
        self.course.append(Progress(record))
        if len(self.course) >= self.COURSE:
            del self.course[::2]
            self._every *= 2

    def check(self, status: int) -> None:
        """Raises what a status stands for.

        Parameters
        ----------
        status : int
            what a function of the library returned

        Examples
        --------
        >>> import fathom
        >>> fathom.Context().check(0)
        """
        if status == api.FATHOM_OK:
            return
        error = lib.fathom_context_error(self.handle).contents
        text = _FLAG.sub(lambda flag: flag[1].replace("-", "_"), error.text.decode(errors="replace"))
        file = error.file.decode(errors="replace") if error.file else None
        raise errors.failure(_ERRORS.get(status, errors.RunError), text, file, error.line or None, error.column or None)

    def begin(self) -> None:
        """Starts one clock for the calls up to `end`.

        Reading, computing, proving and scoring have the time limit together, and once it has stopped one of them the others make a
        result of what there is.

        Examples
        --------
        >>> import fathom
        >>> context = fathom.Context(time_limit=10)
        >>> context.begin()
        >>> context.end()
        """
        lib.fathom_context_start_clock(self.handle)
        self._begun = True

    def end(self) -> None:
        """Gives the next call a clock of its own.

        Examples
        --------
        >>> import fathom
        >>> fathom.Context().end()
        """
        self._begun = False
        if self.bar is not None:
            self.bar.close()
            self.bar = None

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Runs one function of the library to its end, and raises its failure, that of a listener, or Ctrl-C.

        Parameters
        ----------
        function : callable
            the function
        *arguments : object
            what it takes

        Examples
        --------
        >>> import fathom
        >>> fathom.Context().call(lambda: 0)
        """
        with self.lock:
            self.course, self._every, self._seen, self._failure = [], 1, 0, None
            if not self._begun:
                lib.fathom_context_start_clock(self.handle)
            with _Interruption(self.handle) as interruption:
                status = lib.fathom_context_settle(self.handle, function(*arguments))
            if interruption.asked:
                raise KeyboardInterrupt
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            self.check(status)


def _hear(context: Context | None, record: Any) -> bool:
    """A record for a context that may be gone."""
    return context is not None and context._listen(record.contents)


class _Interruption:
    """While a call runs, SIGINT asks the library to stop; only the main thread may say so, and only where Ctrl-C has
    its usual meaning. The interpreter acts on signals between its own steps, and there are none inside a call: so the
    library hears of it by itself."""

    def __init__(self, handle: Any) -> None:
        self.handle, self.asked = handle, False
        self.old: Any = None

    def __enter__(self) -> _Interruption:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self.old = signal.signal(signal.SIGINT, self._ask)
            lib.fathom_context_listen(self.handle)
        return self

    def _ask(self, *_: Any) -> None:
        self.asked = True
        lib.fathom_context_interrupt(self.handle)

    def __exit__(self, *_: Any) -> None:
        if self.old is not None:
            lib.fathom_context_listen(None)
            signal.signal(signal.SIGINT, self.old)
