"""A transform that is planned once and called often."""

from __future__ import annotations

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


class Plan:
    """A transform over all axes of an array of a given shape, whose nodes wait for calls.

    Its nodes' programs run in threads of this process until close(). A call transforms the nodes' arrays `input` and
    `output`, without a copy; forward(a) and backward(b) also copy a whole array to the nodes and the result back.

    In a program of several processes (`toroid launch -n 2 python3 program.py`, mpirun, srun) with fabric="ofi", every
    process makes the same plans and calls. Each has the blocks of its own nodes in `input` and `output`.

    Parameters
    ----------
    shape : tuple of int
        1 to 6 extents; for the dft of real data those of the real side.
    torus : str, tuple of int or Shape
    fabric : {"shm", "ofi"}
    transform : str
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
    kernel : {"fftw", "kissfft"}, optional
    plan : {"measure", "estimate"}
        How local transforms are planned.
    planes : int
        Planes per exchange of the slab method; 0 for a single exchange.
    policy : str
        A built-in policy's name.

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
                 precision: str = "double", kernel: Optional[str] = None, plan: str = "measure", planes: int = 0,
                 policy: str = "random", machine: Union[str, "_toroid.Machine"] = "bgl") -> None:
        if fabric not in ("shm", "ofi"):
            raise _toroid.BadInput(f"fabric {fabric!r}; a plan runs on shm or ofi, and toroid.fft also on sim")
        lengths = [int(n) for n in shape]
        machine = machine if isinstance(machine, _toroid.Machine) else _toroid.Machine(machine)
        torus = torus if isinstance(torus, _toroid.Shape) else _toroid.Shape(torus_word(torus))
        self._run = _toroid.PlanRun(torus, fabric, machine, policy, {
            "shape": lengths, "transform": transform, "real": bool(real), "norm": norm or "backward",
            "batch": int(batch), "method": method or ("volumetric" if len(lengths) == 3 else "rows"),
            "precision": precision, "kernel": kernel, "plan": plan, "planes": int(planes),
            "in_boxes": [(list(first), list(last)) for first, last in in_boxes],
            "out_boxes": [(list(first), list(last)) for first, last in out_boxes]})
        self.input = self._blocks(True)
        self.output = self._blocks(False)
        self._finalizer = weakref.finalize(self, self._run.close)

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
        if not self._finalizer.alive:
            raise _toroid.BadInput("the plan is closed")
        if array is not None:
            self._put(array, forward)
        self._run.call(forward)
        return None if array is None else self._whole(not forward)

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
        """End the nodes' programs. The blocks keep their contents. Without effect after the first time."""
        self._finalizer()

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
