"""Transforms as numpy.fft and scipy.fft name them, computed by the nodes of a torus.

fftn, ifftn, rfftn, irfftn, dctn, idctn, dstn, idstn and their forms for one axis (fft, rfft, dct, ...) and two axes
(fft2, rfft2, ...) take `s`, `axes` and `norm` as scipy.fft does, and return what it returns. dhtn and whtn are the
Hartley transform (cos minus sin; FFTW's is cos plus sin) and the Walsh-Hadamard transform in natural order; they are
their own inverses up to the scale. The axes that are not transformed form a batch: one run transforms all of it.

`torus` is required. `norm` is "backward" (the default), "ortho", "forward" or "paper": no scale in either direction,
and for dct and dst of type 2 half of scipy's per axis. `precision` is "single" (also float32, complex64, f4 or c8) or
"double" (float64, complex128, f8 or c16), of the computation and of the result; by default it is that of the input.
Further options are those of toroid.fft(): fabric, method, machine, seed, policy, threads, mesh, kernel, plan, planes,
queues, per_visit, routing, route, transfer, report, progress, full_output. A transform of no elements is empty and runs
nothing. In a job of several processes (fabric "ofi") process 0 returns the result, the others return None.

>>> import numpy as np
>>> import toroid
>>> a = np.random.default_rng(1).random((5, 8, 8))
>>> b = toroid.fft.rfftn(a, axes=(1, 2), torus="2x2")
>>> np.allclose(b, np.fft.rfftn(a, axes=(1, 2)))
True

The module itself can be called: toroid.fft(a, torus="2x2") is the transform over all axes.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import types
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from . import _toroid
from ._command_words import none_if_not_reported, numbers, run_words, torus_word, words_of
from ._policy import Names, Policy
from ._results import Result

__all__ = ["dct", "dctn", "dht", "dhtn", "dst", "dstn", "fft", "fft2", "fftn", "idct", "idctn", "idht", "idhtn", "idst",
           "idstn", "ifft", "ifft2", "ifftn", "irfft", "irfft2", "irfftn", "iwht", "iwhtn", "rfft", "rfft2", "rfftn",
           "wht", "whtn"]

_NORMS = ("backward", "ortho", "forward", "paper")
# The norm that scales a transform as this norm scales its inverse.
_SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho", "paper": "paper"}
_PRECISIONS = {name: precision for precision, names in (("double", "double float64 complex128 f8 c16"),
                                                        ("single", "single float32 complex64 f4 c8"))
               for name in names.split()}
_MOST_AXES = 6


def _norm(norm: Any) -> str:
    if norm is None:
        return "backward"
    if not isinstance(norm, str) or norm not in _NORMS:
        raise _toroid.BadInput(f"norm {norm!r} is unknown; expected {', '.join(_NORMS[:-1])} or {_NORMS[-1]}")
    return norm


def _precision(name: Any) -> Optional[str]:
    if name is None:
        return None
    if not isinstance(name, str) or name not in _PRECISIONS:
        raise _toroid.BadInput(f"precision {name!r} is unknown; expected {', '.join(_PRECISIONS)}")
    return _PRECISIONS[name]


def _sequence(name: str, value: Any) -> Optional[tuple]:
    """Return a tuple of numbers; one number stands for itself, as in scipy."""
    if value is None:
        return None
    try:
        return (operator.index(value),)
    except TypeError:
        pass
    try:
        return tuple(None if one is None else operator.index(one) for one in value)
    except TypeError:
        raise _toroid.BadInput(f"{name} {value!r}: expected a whole number or several") from None


def _axes(given: np.ndarray, lengths: Optional[tuple], axes: Optional[tuple]) -> Tuple[int, ...]:
    """Return the transformed axes, each from 0 on: as scipy, all of them or, with lengths alone, the last ones."""
    if axes is None:
        count = given.ndim if lengths is None else len(lengths)
        axes = tuple(range(-count, 0))
    found = []
    for axis in axes:
        if axis is None or not -given.ndim <= axis < given.ndim:
            raise _toroid.BadInput(f"axis {axis} of an array of {given.ndim} axes; expected "
                                   f"{-given.ndim} to {given.ndim - 1}")
        found.append(axis % given.ndim)
    if len(set(found)) != len(found):
        raise _toroid.BadInput(f"axes {axes} name an axis twice")
    if lengths is not None and len(lengths) != len(found):
        raise _toroid.BadInput(f"{len(lengths)} lengths for {len(found)} axes; expected as many")
    if len(found) > _MOST_AXES:
        raise _toroid.BadInput(f"{len(found)} axes to transform; expected 1 to {_MOST_AXES}")
    return tuple(found)


def _with_lengths(array: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """Cut the last axes to these lengths, or extend them by zeros."""
    first = array.ndim - len(lengths)
    kept = tuple(slice(0, n) for n in lengths)
    array = array[(Ellipsis,) + kept]
    missing = [n - there for n, there in zip(lengths, array.shape[first:])]
    if any(missing):
        array = np.pad(array, [(0, 0)] * first + [(0, n) for n in missing])
    return array


def _whole_lengths(given: np.ndarray, lengths: Optional[tuple], axes: Sequence[int],
                   from_half: bool) -> Tuple[int, ...]:
    """Return the lengths of the transformed axes on the side of the whole array."""
    if lengths is None:
        whole = [given.shape[axis] for axis in axes]
        if from_half:
            whole[-1] = 2 * (whole[-1] - 1)
    else:
        whole = [given.shape[axis] if n is None else n for n, axis in zip(lengths, axes)]
    for n in whole:
        if n < 1:
            raise _toroid.BadInput(f"a transform of {n} points; expected 1 or more")
    return tuple(whole)


def _size_word(lengths: Sequence[int]) -> str:
    text = "x".join(map(str, lengths))
    return text if len(lengths) > 1 else text + "x"  # a number alone means a cube


def _without_run(result: np.ndarray, why: str, full_output: bool) -> np.ndarray:
    if full_output:
        raise _toroid.BadInput(f"{why}: there is no run whose Result full_output could return")
    return result


def _transform(x: Any, kind: str, lengths: Any, axes: Any, norm: str, inverse: bool, half: bool, /, *,
               torus: Union[str, Tuple[int, ...], "_toroid.Shape"], fabric: str = "sim", method: Optional[str] = None,
               machine: Union[str, "_toroid.Machine"] = "bgl", seed: int = 1, policy: Union[str, Policy, None] = None,
               threads: Optional[int] = None, mesh: bool = False, precision: Optional[str] = None,
               kernel: Optional[str] = None, plan: Optional[str] = None, planes: Union[int, str, None] = None,
               queues: Optional[int] = None, per_visit: Optional[int] = None, routing: Optional[str] = None,
               route: Optional[str] = None, transfer: Optional[str] = None, report: Optional[str] = None,
               full_output: bool = False, progress: Any = None) -> Any:
    """Run one transform along some axes of an array. `half`: the dft of real data or its inverse."""
    given = numbers(x)
    if given.ndim == 0:
        raise _toroid.BadInput("a single number; expected an array of 1 or more axes")
    if half and not inverse and given.dtype.kind == "c":
        raise _toroid.BadInput("a complex array; expected real numbers")
    real = half or (kind != "dft" and given.dtype.kind != "c")
    is_real = real and not (half and not inverse)
    precision = _precision(precision)
    single = given.dtype.char in "fF" if precision is None else precision == "single"
    lengths = _sequence("s", lengths)
    axes = _axes(given, lengths, _sequence("axes", axes))
    if not axes:
        if half:
            raise _toroid.BadInput(f"no axes to transform; expected 1 to {_MOST_AXES}")
        return _without_run(np.array(x), "no axes to transform", full_output)
    whole = _whole_lengths(given, lengths, axes, half and inverse)
    halved = whole[:-1] + (whole[-1] // 2 + 1,) if half else whole
    read = halved if inverse else whole
    moved = _with_lengths(np.moveaxis(given, axes, range(-len(axes), 0)), read)
    batch = moved.shape[:moved.ndim - len(axes)]
    if half and inverse and moved.dtype.kind != "c":
        moved = moved.astype(np.complex64 if moved.dtype.char == "f" else np.complex128)
    made = None
    if 0 in batch:
        result = _without_run(np.empty(batch + (whole if inverse else halved), np.complex128), "an empty array",
                              full_output)
    else:
        names = Names()
        words = ["fft", "--json=-"] + words_of({
            "torus": torus_word(torus), "fabric": fabric, "transform": kind, "inverse": inverse, "real": real,
            "size": _size_word(whole) if half and inverse else None,
            "batch": int(np.prod(batch, dtype=np.int64)), "norm": norm,
            "method": method or ("volumetric" if len(whole) == 3 else "rows"),
            "precision": "single" if single else precision, "machine": machine, "seed": seed,
            "policy": None if policy is None else names.word(policy), "threads": threads, "mesh": mesh,
            "kernel": kernel, "plan": plan, "planes": planes, "queues": queues, "per_visit": per_visit,
            "routing": routing, "route": route, "transfer": transfer, "report": report})
        made = run_words(words, names, progress, array=moved.reshape((-1,) + read), batched=True)
        result = made["array"].reshape(batch + made["array"].shape[-len(axes):])
    result = result.real if is_real else result
    if single:
        result = result.astype(np.float32 if is_real else np.complex64)
    result = np.ascontiguousarray(np.moveaxis(result, range(-len(axes), 0), axes))
    return (result, Result(made)) if full_output else result


_OPTIONS = {one.name for one in inspect.signature(_transform).parameters.values() if one.kind is one.KEYWORD_ONLY}


def _public(function: Any) -> Any:
    """Make a public function of one with `options`: unknown options are refused in its name, and processes of a job
    without a result return None."""
    own = set(inspect.signature(function).parameters) - {"options"}

    @functools.wraps(function)
    def checked(*words: Any, **options: Any) -> Any:
        for option in options:
            if option not in own and option not in _OPTIONS:
                raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {option!r}")
        return function(*words, **options)
    return none_if_not_reported(checked)


@_public
def fftn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
         norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.fftn."""
    return _transform(x, "dft", s, axes, _norm(norm), False, False, torus=torus, **options)


@_public
def ifftn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
          norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.ifftn."""
    return _transform(x, "dft", s, axes, _norm(norm), True, False, torus=torus, **options)


@_public
def rfftn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
          norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.rfftn: half the spectrum of real data, n/2 + 1 numbers along the last transformed axis."""
    return _transform(x, "dft", s, axes, _norm(norm), False, True, torus=torus, **options)


@_public
def irfftn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
           norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.irfftn; for a last axis of odd length give `s`."""
    return _transform(x, "dft", s, axes, _norm(norm), True, True, torus=torus, **options)


def _of_type(x: Any, kind: str, number: int, lengths: Optional[Sequence[int]], axes: Optional[Sequence[int]],
             norm: Optional[str], inverse: bool, options: dict) -> Any:
    """Compute a dct or dst of type 2 or 3. Type 3 is the inverse of type 2 with the scales exchanged."""
    if number not in (2, 3):
        raise _toroid.BadInput(f"{kind} of type {number!r}; expected 2 or 3")
    scale = _norm(norm)
    if number == 3:
        return _transform(x, kind, lengths, axes, _SWAPPED[scale], not inverse, False, **options)
    return _transform(x, kind, lengths, axes, scale, inverse, False, **options)


@_public
def dctn(x: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
         norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.dctn of type 2 or 3."""
    return _of_type(x, "dct", type, s, axes, norm, False, {"torus": torus, **options})


@_public
def idctn(x: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
          norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.idctn of type 2 or 3."""
    return _of_type(x, "dct", type, s, axes, norm, True, {"torus": torus, **options})


@_public
def dstn(x: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
         norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.dstn of type 2 or 3."""
    return _of_type(x, "dst", type, s, axes, norm, False, {"torus": torus, **options})


@_public
def idstn(x: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
          norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute scipy.fft.idstn of type 2 or 3."""
    return _of_type(x, "dst", type, s, axes, norm, True, {"torus": torus, **options})


@_public
def dhtn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
         norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute the Hartley transform along each axis: the sum of x[n]·(cos(2πnk/N) - sin(2πnk/N))."""
    return _transform(x, "dht", s, axes, _norm(norm), False, False, torus=torus, **options)


@_public
def idhtn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
          norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute the inverse of dhtn."""
    return _transform(x, "dht", s, axes, _norm(norm), True, False, torus=torus, **options)


@_public
def whtn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
         norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute the Walsh-Hadamard transform in natural order along axes of a power of two."""
    return _transform(x, "wht", s, axes, _norm(norm), False, False, torus=torus, **options)


@_public
def iwhtn(x: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
          norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
    """Compute the inverse of whtn."""
    return _transform(x, "wht", s, axes, _norm(norm), True, False, torus=torus, **options)


def _along_one(transform: Any, name: str) -> Any:
    def of_line(x: Any, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None, *, torus: Any,
                **options: Any) -> Any:
        return transform(x, None if n is None else (n,), (axis,), norm, torus=torus, **options)
    return _named(of_line, name, f"Compute {transform.__name__} along one axis, of `n` points.")


def _typed_along_one(transform: Any, name: str) -> Any:
    def of_line(x: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None, *,
                torus: Any, **options: Any) -> Any:
        return transform(x, type, None if n is None else (n,), (axis,), norm, torus=torus, **options)
    return _named(of_line, name, f"Compute {transform.__name__} along one axis, of `n` points.")


def _along_two(transform: Any, name: str) -> Any:
    def of_plane(x: Any, s: Optional[Sequence[int]] = None, axes: Sequence[int] = (-2, -1),
                 norm: Optional[str] = None, *, torus: Any, **options: Any) -> Any:
        return transform(x, s, axes, norm, torus=torus, **options)
    return _named(of_plane, name, f"Compute {transform.__name__} along two axes, by default the last ones.")


def _named(function: Any, name: str, text: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return _public(function)


fft = _along_one(fftn, "fft")
ifft = _along_one(ifftn, "ifft")
rfft = _along_one(rfftn, "rfft")
irfft = _along_one(irfftn, "irfft")
dht = _along_one(dhtn, "dht")
idht = _along_one(idhtn, "idht")
wht = _along_one(whtn, "wht")
iwht = _along_one(iwhtn, "iwht")
dct = _typed_along_one(dctn, "dct")
idct = _typed_along_one(idctn, "idct")
dst = _typed_along_one(dstn, "dst")
idst = _typed_along_one(idstn, "idst")
fft2 = _along_two(fftn, "fft2")
ifft2 = _along_two(ifftn, "ifft2")
rfft2 = _along_two(rfftn, "rfft2")
irfft2 = _along_two(irfftn, "irfft2")


class _CallableModule(types.ModuleType):
    @none_if_not_reported
    def __call__(self, array: Any, *, torus: Union[str, Tuple[int, ...], "_toroid.Shape"], fabric: str = "sim",
                 method: Optional[str] = None, inverse: bool = False, norm: Optional[str] = None,
                 machine: Union[str, "_toroid.Machine"] = "bgl", seed: int = 1,
                 policy: Union[str, Policy, None] = None, threads: Optional[int] = None, mesh: bool = False,
                 precision: Optional[str] = None, kernel: Optional[str] = None, plan: Optional[str] = None,
                 planes: Union[int, str, None] = None, queues: Optional[int] = None,
                 per_visit: Optional[int] = None, routing: Optional[str] = None, route: Optional[str] = None,
                 transfer: Optional[str] = None, record: bool = False, report: Optional[str] = None,
                 full_output: bool = False, progress: Any = None) -> Any:
        """Compute the discrete Fourier transform over all axes, as numpy.fft.fftn does, on a torus.

        Parameters
        ----------
        array : array_like
            1 to 6 axes (1 axis on a single node only); real input gives the whole spectrum. Single and double
            precision are used without a copy, in any layout; other numbers are converted first.
        torus : str, tuple of int or Shape
            The extents, e.g. "2x2x2" or (2, 2, 2).
        fabric : {"sim", "shm", "ofi"}
            "sim" runs in virtual time, "shm" on this computer in wall-clock time, "ofi" in the processes of a job.
        method : {"volumetric", "slab", "orbital", "rows"}, optional
            Default: volumetric for three axes, otherwise rows.
        inverse : bool
            Compute numpy.fft.ifftn instead.
        norm : {"backward", "ortho", "forward"}, optional
            As in NumPy (default: "backward").
        kernel : {"fftw", "kissfft"}, optional
            Library for the nodes' line transforms (default: FFTW if available).
        precision : {"double", "single"}, optional
            Precision of the computation (default: "double"); also float64, complex128, f8, c16 and float32, complex64,
            f4, c8.
        plan : {"measure", "estimate"}, optional
            How FFTW plans the line transforms. Measuring can take seconds in the first call with a length (default:
            "measure" on "shm" and "ofi", "estimate" on "sim").
        planes : int or str, optional
            Planes per exchange of the slab method; "2,4" means 2 forward, 4 inverse.
        full_output : bool
            Also return a Result.

        The other parameters are options of `toroid fft`.

        Returns
        -------
        ndarray or (ndarray, Result)
            The array is complex128 in C order, whatever the precision; the Result's `phase_times` are in seconds. In a
            job of several processes, process 0 returns the result, the others return None.

        Raises
        ------
        BadInput
            If the method cannot transform this array on this torus, or single precision does not hold its numbers.
        RunFailed
            If the run fails.
        KeyboardInterrupt
            After Ctrl-C.

        Examples
        --------
        >>> import numpy as np
        >>> import toroid
        >>> a = np.random.default_rng(1).random((8, 8, 4))
        >>> b = toroid.fft(a, torus="2x2x2")
        >>> np.allclose(b, np.fft.fftn(a))
        True
        >>> b, result = toroid.fft(a, torus="2x2", method="slab", full_output=True)
        >>> result.phase_times.shape
        (2,)
        """
        scale = _norm(norm)
        names = Names()
        given = numbers(array)
        if method is None:
            method = "volumetric" if given.ndim == 3 else "rows"
        words = ["fft", "--json=-"] + words_of({
            "torus": torus_word(torus), "fabric": fabric, "method": method, "inverse": inverse, "norm": scale,
            "machine": machine, "seed": seed, "policy": None if policy is None else names.word(policy),
            "threads": threads, "mesh": mesh, "precision": _precision(precision), "kernel": kernel, "plan": plan,
            "planes": planes, "queues": queues, "per_visit": per_visit, "routing": routing, "route": route,
            "transfer": transfer, "report": report})
        made = run_words(words, names, progress, array=given, record=record)
        return (made["array"], Result(made)) if full_output else made["array"]


_CallableModule.__call__.__wrapped__.__qualname__ = "fft"  # the name in Python's own messages
sys.modules[__name__].__class__ = _CallableModule
