"""Convolutions by transforms on a torus."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from . import _toroid, fft

_MODES = ("full", "same", "valid", "wrap")


def convolve(a: Any, kernel: Any, mode: str = "full", *, torus: Any, **options: Any) -> np.ndarray:
    """Convolve two arrays, as scipy.signal.fftconvolve does.

    Parameters
    ----------
    a, kernel : array_like
        As many axes, 1 to 6.
    mode : {"full", "same", "valid", "wrap"}
        The whole result; its centre, of the size of `a`; where the kernel lies within `a`; or the result for a
        periodic `a`, whose kernel has its centre at index (n - 1) // 2 and is no larger than `a`.
    torus : str, tuple of int or Shape

    The other parameters are options of toroid.fft.

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
    if mode not in _MODES:
        raise _toroid.BadInput(f"mode {mode!r} is unknown; expected {', '.join(_MODES[:-1])} or {_MODES[-1]}")
    given, small = np.asarray(a), np.asarray(kernel)
    if given.ndim != small.ndim or given.ndim == 0:
        raise _toroid.BadInput(f"an array of {given.ndim} axes and a kernel of {small.ndim}; expected equal numbers of 1 "
                               "or more")
    wraps = mode == "wrap"
    if mode in ("valid", "wrap") and any(n < k for n, k in zip(given.shape, small.shape)):
        raise _toroid.BadInput(f"a kernel of shape {small.shape} is larger than the array, {given.shape}")
    lengths = given.shape if wraps else tuple(n + k - 1 for n, k in zip(given.shape, small.shape))
    whole = _product(given, small, lengths, {"torus": torus, **options})
    if wraps:
        return np.roll(whole, [-((k - 1) // 2) for k in small.shape], range(given.ndim))
    kept = {"full": lengths, "same": given.shape, "valid": tuple(n - k + 1 for n, k in zip(given.shape, small.shape))}
    return _centre(whole, kept[mode])


def _product(a: np.ndarray, b: np.ndarray, lengths: Tuple[int, ...], options: dict) -> np.ndarray:
    """The periodic convolution of two arrays that zeros extend to these lengths."""
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return fft.ifftn(fft.fftn(a, lengths, **options) * fft.fftn(b, lengths, **options), lengths, **options)
    return fft.irfftn(fft.rfftn(a, lengths, **options) * fft.rfftn(b, lengths, **options), lengths, **options)


def _centre(whole: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
    first = [(there - kept) // 2 for there, kept in zip(whole.shape, shape)]
    return np.ascontiguousarray(whole[tuple(slice(f, f + n) for f, n in zip(first, shape))])
