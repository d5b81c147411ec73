"""A transform that is planned once and called often."""

from __future__ import annotations

import operator
import threading
import weakref
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _toroid
from ._command_words import torus_word


class Block(NamedTuple):
    """A part of an array on one node."""

    rank: int
    """The node."""
    start: Tuple[int, ...]
    """Its first index in the whole array."""
    stop: Tuple[int, ...]
    """The index after its last one."""
    array: np.ndarray
    """The node's memory, not a copy."""

    @property
    def slices(self) -> Tuple[slice, ...]:
        """Where the block lies in the whole array: whole[block.slices] has block.array's shape."""
        return tuple(slice(first, last) for first, last in zip(self.start, self.stop))


_PRECISIONS = {"single": "single", "float32": "single", "complex64": "single",
               "double": "double", "float64": "double", "complex128": "double"}


def _whole_number(value: Any) -> int:
    number = operator.index(value)
    if not -2**63 <= number < 2**63:
        raise _toroid.BadInput(f"{number}; expected a number of at most 64 bits")
    return number


def _boxes(boxes: Sequence[Any]) -> list:
    return [([_whole_number(n) for n in first], [_whole_number(n) for n in last]) for first, last in boxes]


def _transforms(given: Any) -> List[str]:
    """Return a list of names for "dct,dft", ("dct", "dft") or "dct"."""
    if isinstance(given, str):
        return given.split(",")
    names = list(given) if isinstance(given, (list, tuple)) else [given]
    for name in names:
        if not isinstance(name, str):
            raise _toroid.BadInput(f"a transform of type {type(name).__name__}; expected names, and a matrix needs "
                                   "the method orbital, which a plan does not have")
    return names


def _policy_name(policy: Any) -> str:
    if policy is None:
        return "random"
    if not isinstance(policy, str):
        name = getattr(policy, "name", None) or type(policy).__name__
        raise _toroid.BadInput(f"policy {name!r} is an object; a plan takes the name of a built-in policy")
    return policy


def _precision_name(precision: Any) -> str:
    if precision not in _PRECISIONS:
        raise _toroid.BadInput(f"precision {precision!r}; expected one of {', '.join(_PRECISIONS)}")
    return _PRECISIONS[precision]


def _refuse_without_effect(method: str, kernel: Optional[str], plan: Optional[str], planes: Any) -> None:
    if planes is not None and method != "slab":
        raise _toroid.BadInput(f"planes has no effect with method {method!r}; it belongs to method 'slab'")
    if plan == "measure" and kernel == "kissfft":
        raise _toroid.BadInput("plan 'measure' has no effect with kernel 'kissfft'; only fftw measures")


class Plan:
    """A transform over all axes of an array of a given shape, whose nodes wait for calls.

    Its nodes' programs run in threads of this process until close(). A call transforms the nodes' arrays `input` and
    `output`, without a copy; forward(a) and backward(b) also copy a whole array to the nodes and the result back.
    Calls from several threads are made one after the other.

    In a program of several processes (`toroid launch -n 2 python3 program.py`, mpirun, srun) with fabric="ofi", every
    process makes the same plans and calls. Each has the blocks of its own nodes in `input` and `output`.

    Parameters
    ----------
    shape : tuple of int
        1 to 6 extents; for the dft of real data those of the real side.
    torus : str, tuple of int or Shape
    fabric : {"shm", "ofi"}
    transform : str or sequence of str
        A name for all axes or one per axis, such as "dct,dft,dct": dft, dct, dst, dht, wht.
    real : bool
        Real data: the dft gives the half spectrum of the last axis; other transforms give real numbers.
    norm : {"backward", "ortho", "forward", "paper"}
        As in toroid.fft.
    batch : int
        Arrays per call. If above 1, arrays have a first axis of this length.
    method : {"volumetric", "slab", "rows"}, optional
        Default: volumetric for three axes, otherwise rows.
    in_boxes, out_boxes : sequence of (start, stop), optional
        The box of every node, by rank, in forward's input and in its output (default: the method's own).
    precision : {"double", "single"}
        Also as a type of elements: "float64", "complex128", "float32", "complex64".
    kernel : {"fftw", "kissfft"}, optional
    plan : {"measure", "estimate"}, optional
        How fftw plans local transforms (default: measure).
    planes : int, optional
        Planes per exchange of the slab method (default: 0, a single exchange).
    policy : str, optional
        A built-in policy's name (default: random).

    Attributes
    ----------
    shape : tuple of int
    torus : Shape
    input, output : list of Block
        The blocks of this process's nodes.

    Examples
    --------
    >>> import numpy as np
    >>> import toroid
    >>> with toroid.Plan((8, 8, 8), torus="2x2") as plan:
    ...     a = np.random.default_rng(1).random((8, 8, 8))
    ...     b = plan.forward(a)
    ...     c = plan.backward(b)
    >>> np.allclose(b, np.fft.fftn(a)), np.allclose(c, a)
    (True, True)
    """

    def __init__(self, shape: Sequence[int], *, torus: Union[str, Tuple[int, ...], "_toroid.Shape"], fabric: str = "shm",
                 transform: str = "dft", real: bool = False, norm: str = "backward", batch: int = 1,
                 method: Optional[str] = None, in_boxes: Sequence[Any] = (), out_boxes: Sequence[Any] = (),
                 precision: str = "double", kernel: Optional[str] = None, plan: Optional[str] = None,
                 planes: Optional[int] = None, policy: Optional[str] = None,
                 machine: Union[str, "_toroid.Machine"] = "bgl") -> None:
        if fabric not in ("shm", "ofi"):
            raise _toroid.BadInput(f"fabric {fabric!r}; a plan runs on shm or ofi, and toroid.fft also on sim")
        self.shape = tuple(_whole_number(n) for n in shape)
        self.torus = torus if isinstance(torus, _toroid.Shape) else _toroid.Shape(torus_word(torus))
        machine = machine if isinstance(machine, _toroid.Machine) else _toroid.Machine(machine)
        method = method or ("volumetric" if len(self.shape) == 3 else "rows")
        _refuse_without_effect(method, kernel, plan, planes)
        transforms = _transforms(transform)
        self._about = f"{','.join(transforms)} of {'x'.join(map(str, self.shape))} on {self.torus}, {fabric}, {method}"
        self._lock = threading.RLock()
        self._is_calling = False
        self._run = _toroid.PlanRun(self.torus, fabric, machine, _policy_name(policy), {
            "shape": list(self.shape), "transform": transforms, "real": bool(real), "norm": norm or "backward",
            "batch": _whole_number(batch), "method": method, "precision": _precision_name(precision), "kernel": kernel,
            "plan": plan or "measure", "planes": _whole_number(planes or 0), "in_boxes": _boxes(in_boxes),
            "out_boxes": _boxes(out_boxes)})
        self.input = self._blocks(True)
        self.output = self._blocks(False)
        self._finalizer = weakref.finalize(self, self._run.close)
        self._finalizer.atexit = False  # the module closes all plans at the interpreter's end

    def __repr__(self) -> str:
        state = ", closed" if self._run.is_closed else ""
        return f"<toroid.Plan: {self._about}{state}>"

    def _blocks(self, is_input: bool) -> List[Block]:
        return [Block(rank, tuple(start), tuple(stop), array)
                for rank, start, stop, array in self._run.blocks(is_input)]

    @property
    def input_shape(self) -> Tuple[int, ...]:
        """The shape of forward's whole input."""
        return self._run.extents(True)

    @property
    def output_shape(self) -> Tuple[int, ...]:
        """The shape of forward's whole output."""
        return self._run.extents(False)

    def forward(self, array: Any = None) -> Optional[np.ndarray]:
        """Transform `input` to `output`. If an array is given, copy it to `input` first and return the whole output."""
        return self._call(True, array)

    def backward(self, array: Any = None) -> Optional[np.ndarray]:
        """Transform `output` to `input`. If an array is given, copy it to `output` first and return the whole input."""
        return self._call(False, array)

    def _call(self, forward: bool, array: Any) -> Optional[np.ndarray]:
        self._run.check_open()  # in a forked process the lock may be locked for ever
        with self._lock:
            self._run.check_open()
            if self._is_calling:  # in this thread: a signal handler calls
                raise _toroid.BadInput("a call of the plan is under way in this thread")
            self._is_calling = True
            try:
                if array is not None:
                    self._put(array, forward)
                self._run.call(forward)
                return None if array is None else self._whole(not forward)
            finally:
                self._is_calling = False

    def _put(self, array: Any, is_input: bool) -> None:
        given = np.asarray(array)
        if self._run.processes_share:
            raise _toroid.BadInput("this process has only some of the blocks; copy them to `input` or `output`")
        if given.shape != self._run.extents(is_input):
            raise _toroid.BadInput(f"an array of shape {given.shape}; expected {self._run.extents(is_input)}")
        if given.dtype.kind not in "biufc" or (given.dtype.kind == "c" and self._run.dtype(is_input).kind != "c"):
            raise _toroid.BadInput(f"elements of type {given.dtype}; expected {self._run.dtype(is_input)}")
        for block in self.input if is_input else self.output:
            block.array[...] = given[block.slices]

    def _whole(self, is_input: bool) -> np.ndarray:
        whole = np.empty(self._run.extents(is_input), self._run.dtype(is_input))
        for block in self.input if is_input else self.output:
            whole[block.slices] = block.array
        return whole

    def close(self) -> None:
        """End the nodes' programs. The blocks keep their contents. Without effect after the first time.

        Waits for a call that another thread has made. Raises a failure of the run that no call has raised.
        """
        if self._run.is_forked:
            self._finalizer.detach()
            return
        with self._lock:
            self._finalizer()

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
            return
        if self._run.processes_share and not self._run.is_forked:
            self._run.cancel()  # other processes may wait for this one in a call
        try:
            self.close()
        except (_toroid.BadInput, _toroid.RunFailed):
            pass  # the exception in flight comes first
