"""Convolutions by transforms on a torus."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np

from . import _toroid, fft
from ._command_words import numbers
from ._policy import Policy

_MODES = ("full", "same", "valid", "wrap")


def convolve(a: Any, b: Any, /, mode: str = "full", *, torus: Union[str, Tuple[int, ...], "_toroid.Shape"],
             fabric: str = "sim", method: Optional[str] = None, machine: Union[str, "_toroid.Machine"] = "bgl",
             seed: int = 1, policy: Union[str, Policy, None] = None, threads: Optional[int] = None, mesh: bool = False,
             precision: Optional[str] = None, kernel: Optional[str] = None) -> np.ndarray:
    """Convolve two arrays, as scipy.signal.fftconvolve does.

    Parameters
    ----------
    a, b : array_like
        As many axes, 1 to 6. Both are converted to their common type. If one is empty, the result is empty.
    mode : {"full", "same", "valid", "wrap"}
        The whole result; its centre, of the size of `a`; where the smaller array lies within the larger one; or the
        result for a periodic `a`: element i is the sum over j of b[j] * a[i + (n - 1) // 2 - j], where n is the
        length of `b`, which is no larger than `a`. So `b` has its centre at index (n - 1) // 2 along each axis.
    torus : str, tuple of int or Shape
    fabric : {"sim", "shm"}

    The other parameters are options of toroid.fft; `kernel` is the library for the nodes' line transforms.

    Returns
    -------
    ndarray
        Real if both arrays are.

    Examples
    --------
    >>> import toroid
    >>> toroid.convolve([1, 2, 3], [0, 1, 0.5], torus="2").round(12)
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    if not isinstance(mode, str) or mode not in _MODES:
        raise _toroid.BadInput(f"mode {mode!r} is unknown; expected {', '.join(_MODES[:-1])} or {_MODES[-1]}")
    if fabric == "ofi":
        raise _toroid.BadInput("convolve runs in one process; expected fabric sim or shm")
    large, small = _of_common_type(np.asarray(a), np.asarray(b))
    if large.ndim != small.ndim or large.ndim == 0:
        raise _toroid.BadInput(f"arrays of {large.ndim} and {small.ndim} axes; expected equal numbers of 1 or more")
    if 0 in (large.size, small.size):
        return np.array([])
    if mode == "valid" and not _fits(small=small, large=large) and _fits(small=large, large=small):
        large, small = small, large
    if mode in ("valid", "wrap") and not _fits(small=small, large=large):
        raise _toroid.BadInput(f"the second array, of shape {small.shape}, is larger than the first, {large.shape}")
    options = {"torus": torus, "fabric": fabric, "method": method, "machine": machine, "seed": seed, "policy": policy,
               "threads": threads, "mesh": mesh, "precision": precision, "kernel": kernel}
    if mode == "wrap":
        whole = _product(large, small, large.shape, options)
        return np.roll(whole, [-((n - 1) // 2) for n in small.shape], range(large.ndim))
    pairs = list(zip(large.shape, small.shape))
    lengths = tuple(n + k - 1 for n, k in pairs)
    kept = {"full": lengths, "same": large.shape, "valid": tuple(n - k + 1 for n, k in pairs)}
    return _centre(_product(large, small, lengths, options), kept[mode])


def _of_common_type(a: np.ndarray, b: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    a, b = numbers(a), numbers(b)
    common = np.result_type(a.dtype, b.dtype)  # of the types alone: NumPy 1 also looks at the values of 0-d arrays
    return a.astype(common, copy=False), b.astype(common, copy=False)


def _fits(small: np.ndarray, large: np.ndarray) -> bool:
    return all(k <= n for k, n in zip(small.shape, large.shape))


def _product(a: np.ndarray, b: np.ndarray, lengths: Tuple[int, ...], options: dict) -> np.ndarray:
    """The periodic convolution of two arrays that zeros extend to these lengths."""
    if a.dtype.kind == "c":
        return fft.ifftn(fft.fftn(a, lengths, **options) * fft.fftn(b, lengths, **options), lengths, **options)
    return fft.irfftn(fft.rfftn(a, lengths, **options) * fft.rfftn(b, lengths, **options), lengths, **options)


def _centre(whole: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
    first = [(there - kept) // 2 for there, kept in zip(whole.shape, shape)]
    return np.ascontiguousarray(whole[tuple(slice(f, f + n) for f, n in zip(first, shape))])
