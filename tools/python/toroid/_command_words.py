"""Commands as words, made from keyword arguments."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from . import _toroid
from ._policy import Names
from ._progress import shower


def text_of(value: Any) -> str:
    if isinstance(value, (list, tuple, np.ndarray, range)):
        return ",".join(text_of(one) for one in value)
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value!r}: expected a string or a number")
    if isinstance(value, float):
        return repr(float(value))  # NumPy's numbers have another repr
    if isinstance(value, _toroid.Shape) and value.has_failures:
        raise _toroid.BadInput("a shape with failures cannot be passed to a run; use fail_links and "
                               "fail_nodes")
    if isinstance(value, _toroid.Machine):
        return value.given
    return str(value)


def torus_word(value: Any) -> Any:
    """Return a tuple of extents as text, such as "4x4" for (4, 4); in a list, each of its elements."""
    if isinstance(value, list):
        return [torus_word(one) for one in value]
    if isinstance(value, tuple) and all(isinstance(one, (int, np.integer)) for one in value):
        return "x".join(str(int(one)) for one in value)
    return value


def words_of(options: dict) -> list:
    """Return --name=value for each option; None and False are left out, True gives a flag."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, np.bool_):
            value = bool(value)
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif name in ("fail_link", "fail_node", "link_error", "fifo_links") and not isinstance(value, str):
            words += [f"{option}={one}" for one in value]
        else:
            words.append(f"{option}={text_of(value)}")
    return words


class NotReported(_toroid.RunFailed):
    """This process of a job has run its part; process 0 has the result."""


def none_if_not_reported(function: Any) -> Any:
    """Let a public function return None in the processes of a job that have no result."""
    @functools.wraps(function)
    def reported(*words: Any, **options: Any) -> Any:
        try:
            return function(*words, **options)
        except NotReported:
            return None
    return reported


def run_words(words: list, names: Names, progress: Any, *, array: Any = None,
              batched: bool = False, record: bool = False) -> dict:
    """Run a command in this process. If `batched`, the first axis of the array has the arrays of a batch. Raise
    NotReported in the processes of a job that have no result: all but process 0."""
    if names.objects and any(word.startswith("--resume=") for word in words):
        raise _toroid.BadInput("--resume cannot be used with policies written in Python: it cannot tell "
                               "whether they have changed")
    made = _toroid.run_command(words, names.objects, array, batched, record, shower(progress))
    if "--fabric=ofi" in words:
        os.environ.pop("TOROID_LISTENER_FD", None)  # the run has closed it; process 0 opens the next run's socket
    if not made["json"]:
        raise NotReported("this process has no result; process 0 of the job has it")
    return made


def numbers(array: Any) -> np.ndarray:
    """Return the array unchanged if it has native floating-point elements, in any layout; otherwise
    convert it."""
    given = np.asarray(array)
    if given.dtype.newbyteorder("=") == given.dtype and given.dtype.char in "fdFD":
        return given
    if given.dtype.kind not in "biufc":
        raise _toroid.BadInput(f"elements of type {given.dtype} cannot be transformed; "
                               "expected numbers")
    if given.dtype == np.float16 or given.dtype.newbyteorder("=").char in "fF":
        return given.astype(np.complex64 if given.dtype.kind == "c" else np.float32)
    return given.astype(np.complex128 if given.dtype.kind == "c" else np.float64)
