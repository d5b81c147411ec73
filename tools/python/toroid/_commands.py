"""Runs, transforms, comparisons and sweeps, with the commands' options as keyword arguments."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Tuple, Union

import numpy as np

from . import _toroid
from ._command_words import none_if_not_reported, numbers, run_words, text_of, torus_word, words_of
from ._policy import Names, Policy
from ._results import Result, Results


def _rates(rates: Any) -> list:
    """Return error rates as a list of texts. `rates` is one rate or several, each a number or a text such as
    "1e-3@(0,0,0)X+"."""
    several = isinstance(rates, Iterable) and not isinstance(rates, str)
    return [text_of(rate) for rate in rates] if several else [text_of(rates)]


def _policies(policies: Any, names: Names) -> Optional[str]:
    if policies is None:
        return None
    if isinstance(policies, (str, Policy, type)):
        policies = [policies]
    return ",".join(names.word(one) for one in policies)


@none_if_not_reported
def run(torus: Union[str, Tuple[int, ...], "_toroid.Shape"], *, traffic: str = "all-to-all", bytes: Union[int, str] = 240,
        policy: Union[str, Policy] = "random", machine: Union[str, "_toroid.Machine"] = "bgl", fabric: str = "sim",
        seed: int = 1, threads: Optional[int] = None, mesh: bool = False,
        peers: Optional[int] = None, sample: Optional[int] = None, queues: Optional[int] = None,
        per_visit: Optional[int] = None, order: Optional[str] = None,
        routing: Optional[str] = None, tie: Optional[str] = None, tying: Optional[str] = None, fifo_links: Any = None,
        drain: Optional[str] = None, fail_links: Iterable[str] = (),
        fail_nodes: Iterable[str] = (), link_errors: Iterable[str] = (),
        link_faults: Optional[str] = None, long_way: bool = False, no_transit_first: bool = False,
        no_bubble: bool = False, route: Optional[str] = None, transfer: Optional[str] = None,
        bind: Optional[str] = None, stall: Optional[float] = None, repeat: Optional[int] = None, record: bool = False,
        trace: Optional[str] = None, report: Optional[str] = None, progress: Any = None) -> Result:
    """Run one exchange: an all-to-all, or another traffic pattern, under a policy.

    Parameters
    ----------
    torus : str, tuple of int or Shape
        The extents, e.g. "8x8x8" or (8, 8, 8); in "8x8x4m" Z is a mesh dimension, without wraparound links.
    traffic : str
        A traffic pattern of `toroid alltoall`, e.g. "transpose" or "lines:X".
    bytes : int or str
        Payload per (source, destination) pair, e.g. 480 or "1KiB".
    policy : str or Policy
        A built-in policy's name, a policy file or a Policy object.
    machine : str or Machine
        A built-in machine's name, a machine file or a Machine object.
    fabric : {"sim", "shm", "ofi"}
        "sim" runs in virtual time (cycles), "shm" on this computer in wall-clock time (seconds), "ofi" in the
        processes of a job: process 0 returns the result, the others return None.
    repeat : int, optional
        Number of runs (shm and ofi); the median of their times is reported.
    peers : int, optional
        Each node sends only to the first `peers` nodes of its order (sim only).
    record : bool
        Keep the state of injection FIFOs and links over time (sim only, small machines only); the run then
        uses one thread.
    progress : bool or callable, optional
        Whether to show the progress, or a function to call with each line of text (default: shown in a
        terminal or a notebook).

    The other parameters are options of `toroid alltoall`.

    Returns
    -------
    Result

    Raises
    ------
    BadInput, RunFailed, PolicyError
        With the command's message.
    KeyboardInterrupt
        After Ctrl-C.

    Examples
    --------
    >>> import toroid
    >>> r = toroid.run(torus="4x4x4", bytes=480, policy="random")
    >>> r.nodes, r.packets
    (64, 8064)
    >>> r.cycles > r.bound_cycles and r.percent_of_peak > 50
    True
    """
    names = Names()
    fail = {"fail_link": list(fail_links) if not isinstance(fail_links, str) else [fail_links],
            "fail_node": list(fail_nodes) if not isinstance(fail_nodes, str) else [fail_nodes],
            "link_error": _rates(link_errors), "link_faults": link_faults}
    words = ["alltoall", "--json=-"] + words_of({
        "torus": torus_word(torus), "traffic": None if traffic == "all-to-all" else traffic, "bytes": bytes,
        "policy": names.word(policy), "machine": machine, "fabric": fabric, "seed": seed,
        "threads": threads, "mesh": mesh, "peers": peers, "sample": sample, "queues": queues,
        "per_visit": per_visit, "order": order, "routing": routing, "tie": tie, "tying": tying,
        "fifo_links": None if fifo_links is None else text_of(fifo_links),
        "drain": drain, **fail, "long_way": long_way, "no_transit_first": no_transit_first,
        "no_bubble": no_bubble, "route": route, "transfer": transfer, "bind": bind, "stall": stall, "repeat": repeat,
        "trace": trace, "report": report})
    return Result(run_words(words, names, progress, record=record))


def _cell(cell: Any) -> Optional[str]:
    """Return three lengths as text, such as "1,1,2"; a single number is the side of a cube."""
    if cell is None or isinstance(cell, str):
        return cell
    try:
        lengths = np.asarray(cell)
    except ValueError:  # of a ragged list
        raise _toroid.BadInput(f"cell {cell!r}: expected three lengths, or the side of a cube") from None
    if lengths.dtype.kind not in "iuf" or lengths.ndim > 1:
        raise _toroid.BadInput(f"cell {cell!r}: expected three lengths, or the side of a cube")
    if lengths.ndim == 0:
        lengths = np.repeat(lengths, 3)
    return ",".join(repr(float(length)) for length in lengths)


@none_if_not_reported
def poisson(rho: Any, cell: Any = None, boundary: str = "periodic", *,
            torus: Union[str, Tuple[int, ...], "_toroid.Shape"] = "1", fabric: str = "sim",
            method: Optional[str] = None, machine: Union[str, "_toroid.Machine"] = "bgl", seed: int = 1,
            policy: Union[str, Policy, None] = None, threads: Optional[int] = None, mesh: bool = False,
            precision: Optional[str] = None, kernel: Optional[str] = None, planes: Union[int, str, None] = None,
            queues: Optional[int] = None, per_visit: Optional[int] = None, routing: Optional[str] = None,
            route: Optional[str] = None, transfer: Optional[str] = None, check: bool = False, report: Optional[str] = None,
            full_output: bool = False, progress: Any = None) -> Any:
    """Solve Poisson's equation, laplacian(phi) = -rho, in a box, on a torus.

    A positive charge has a positive potential. There is no factor 4 pi: in Gaussian units the potential is 4 pi
    times the result.

    Parameters
    ----------
    rho : array_like
        The density, real, with 3 axes: x, y and z.
    cell : tuple of float, optional
        Lengths of the box along x, y and z; one number is the side of a cube (default: the numbers of points).
    boundary : {"periodic", "dirichlet", "neumann"}
        phi repeats itself, is 0 on the faces of the box, or has no slope across them. Points along an axis of n
        points and length L are at i L/n if periodic, otherwise at (i + 1/2) L/n. With "periodic" and "neumann" the
        mean of rho must be 0. Otherwise it is removed, with a warning on standard error. The mean of phi is then 0.
    torus : str, tuple of int or Shape, optional
        The extents, e.g. "2x2x2" or (2, 2, 2) (default: one node).
    method : {"volumetric", "slab", "orbital", "rows"}, optional
        Default: volumetric.
    check : bool
        Compare with a serial solution; RunFailed if they differ by more than rounding, or if phi has a relative l2
        error of more than 1e-9 (1e-3 in single precision), as in a flat box.
    full_output : bool
        Also return a Result.

    The other parameters are options of `toroid poisson`.

    Returns
    -------
    ndarray or (ndarray, Result)
        phi, float64 in C order.

    Raises
    ------
    BadInput
        If rho, the cell or the boundary is wrong, or if the method cannot transform this array on this torus.
    RunFailed
        If the run fails.
    KeyboardInterrupt
        After Ctrl-C.

    Examples
    --------
    >>> import numpy as np
    >>> import toroid
    >>> x = 2 * np.pi * np.arange(8) / 8
    >>> rho = np.broadcast_to(np.sin(x)[:, None, None], (8, 4, 6))
    >>> phi = toroid.poisson(rho, cell=(2 * np.pi, 1, 1), torus="2x2")
    >>> np.allclose(phi, rho)
    True
    """
    names = Names()
    given = numbers(rho)
    if not isinstance(boundary, str):
        raise _toroid.BadInput(f"boundary {boundary!r}: expected periodic, dirichlet or neumann")
    words = ["poisson", "--json=-"] + words_of({
        "cell": _cell(cell), "boundary": boundary, "torus": torus_word(torus), "fabric": fabric, "method": method,
        "machine": machine, "seed": seed, "policy": None if policy is None else names.word(policy),
        "threads": threads, "mesh": mesh, "precision": precision, "kernel": kernel, "planes": planes,
        "queues": queues, "per_visit": per_visit, "routing": routing, "route": route, "transfer": transfer,
        "check": check, "report": report})
    made = run_words(words, names, progress, array=given)
    phi = np.ascontiguousarray(made["array"].real)
    return (phi, Result(made)) if full_output else phi


@none_if_not_reported
def compare(*, torus: Any, policies: Any = "all", traffic: Any = None, bytes: Any = None,
            workload: Any = None, machine: Any = None, fabric: str = "sim",
            seed: Optional[int] = None, seeds: Any = None, threads: Optional[int] = None,
            mesh: bool = False, peers: Optional[int] = None, queues: Any = None,
            per_visit: Any = None, routing: Any = None, fifo_links: Any = None, fail_links: Iterable[str] = (),
            link_errors: Any = (), link_faults: Optional[str] = None, long_way: bool = False, route: Optional[str] = None, transfer: Optional[str] = None, validate: bool = False,
            csv: Optional[str] = None, resume: Optional[str] = None,
            report: Optional[str] = None, progress: Any = None) -> Results:
    """Compare policies: run every combination of the given lists.

    Parameters
    ----------
    torus, policies, traffic, bytes, workload, machine, seeds, queues, per_visit, routing
        One value or a list of values; policies are names, files and Policy objects, a torus may be a tuple.
    threads : int, optional
        On sim the number of concurrent runs, on shm and ofi the number of workers of each run and process (default:
        one per core).

    The other parameters are options of `toroid compare`.

    Returns
    -------
    Results
        One row per run; its `repr` is the command's table. The row of a failed run has `error`. In a job of several
        processes (fabric "ofi") process 0 returns the rows, the others return None, and a failed run raises RunFailed.

    Examples
    --------
    >>> import toroid
    >>> rows = toroid.compare(torus=["4x4", "4x4x4"], policies=["random", "rank"], bytes=480)
    >>> len(rows)
    4
    >>> rows[0].cycles < rows[1].cycles
    True
    """
    names = Names()
    words = ["compare"] + words_of({
        "torus": torus_word(torus), "policies": _policies(policies, names), "traffic": traffic, "bytes": bytes,
        "workload": workload, "machine": machine, "fabric": fabric, "seed": seed, "seeds": seeds,
        "threads": threads, "mesh": mesh, "peers": peers, "queues": queues,
        "per_visit": per_visit, "routing": routing, "fifo_links": fifo_links, "fail_link": fail_links,
        "link_error": _rates(link_errors), "link_faults": link_faults, "long_way": long_way, "route": route, "transfer": transfer, "validate": validate, "csv": csv, "resume": resume,
        "report": report})
    return Results(run_words(words, names, progress))


@none_if_not_reported
def sweep(*, axis: str, torus: Any, policies: Any = "all", load: Any = None, traffic: Any = None,
          bytes: Any = None, workload: Any = None, refine: Optional[int] = None,
          arrivals: Optional[str] = None, window: Optional[int] = None,
          warm_up: Optional[int] = None, machine: Any = None, fabric: str = "sim",
          seed: Optional[int] = None, seeds: Any = None, threads: Optional[int] = None,
          mesh: bool = False, peers: Optional[int] = None, queues: Any = None,
          per_visit: Any = None, routing: Any = None, fifo_links: Any = None, fail_links: Iterable[str] = (),
          link_errors: Any = (), link_faults: Optional[str] = None, long_way: bool = False, route: Optional[str] = None, transfer: Optional[str] = None, csv: Optional[str] = None,
          resume: Optional[str] = None, report: Optional[str] = None,
          progress: Any = None) -> Results:
    """Vary one number from small to large.

    Parameters
    ----------
    axis : {"load", "bytes", "nodes"}
        The number to vary.
    load : list or str
        Offered loads, e.g. [0.2, 0.4] or "0.1:1.0:0.1"; 1.0 is the most that the hottest link can carry.
    window, warm_up : int
        Number of cycles that are measured, and number of cycles that pass before.

    The other parameters are those of compare() and options of `toroid sweep`.

    Returns
    -------
    Results

    Examples
    --------
    >>> import toroid
    >>> rows = toroid.sweep(axis="bytes", torus="4x4", bytes=[240, 480], policies="shift")
    >>> [row.bytes for row in rows]
    [240, 480]
    """
    names = Names()
    words = ["sweep"] + words_of({
        "axis": axis, "torus": torus_word(torus), "policies": _policies(policies, names), "load": load,
        "traffic": traffic, "bytes": bytes, "workload": workload, "refine": refine,
        "arrivals": arrivals, "window": window, "warm_up": warm_up, "machine": machine,
        "fabric": fabric, "seed": seed, "seeds": seeds, "threads": threads, "mesh": mesh,
        "peers": peers, "queues": queues, "per_visit": per_visit, "routing": routing, "fifo_links": fifo_links,
        "fail_link": fail_links, "link_error": _rates(link_errors), "link_faults": link_faults,
        "long_way": long_way, "route": route, "transfer": transfer, "csv": csv,
        "resume": resume, "report": report})
    return Results(run_words(words, names, progress))
