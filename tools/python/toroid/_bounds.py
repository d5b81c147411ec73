"""Lower bounds that no schedule can beat."""

from __future__ import annotations

from typing import Union

from . import _toroid
from ._results import Keys


def _shape(torus: Union[str, "_toroid.Shape"], mesh: bool = False) -> "_toroid.Shape":
    return torus if isinstance(torus, _toroid.Shape) else _toroid.Shape(torus, mesh)


def _machine(machine: Union[str, "_toroid.Machine"]) -> "_toroid.Machine":
    return machine if isinstance(machine, _toroid.Machine) else _toroid.Machine(machine)


def _payload(bytes: int) -> int:
    most = 1 << 32
    if isinstance(bytes, bool) or not hasattr(bytes, "__index__") or not 0 <= bytes <= most:
        raise _toroid.BadInput(f"bytes: {bytes!r} is not a whole number from 0 to {most}")
    return int(bytes)


def bounds(*, torus: Union[str, "_toroid.Shape"], bytes: int = 240,
           machine: Union[str, "_toroid.Machine"] = "bgl", mesh: bool = False) -> Keys:
    """Lower bounds on the time of an all-to-all.

    Parameters
    ----------
    torus : str or Shape
    bytes : int
        Payload per ordered pair of nodes.
    machine : str or Machine
    mesh : bool
        Make every dimension a mesh.

    Returns
    -------
    Keys
        The bounds hottest_link, injection, processor and zero_load in cycles; `cycles` is the largest of
        them, `seconds` the same in seconds.

    Examples
    --------
    >>> import toroid
    >>> b = toroid.bounds(torus="8x8x8", bytes=480)
    >>> b.cycles == b.hottest_link
    True
    """
    return Keys(_toroid.all_to_all_bounds(_shape(torus, mesh), _payload(bytes), _machine(machine)))


def hottest_link_messages(torus: Union[str, "_toroid.Shape"]) -> float:
    """Number of messages over the hottest link in an all-to-all with one message per ordered pair.

    >>> import toroid
    >>> toroid.hottest_link_messages("8x8x8")
    512.0
    """
    return _toroid.hottest_link_messages(_shape(torus))


def message_cost(bytes: int, machine: Union[str, "_toroid.Machine"] = "bgl") -> tuple:
    """Number of packets of one message, and its bytes on a link, including headers.

    >>> import toroid
    >>> toroid.message_cost(480)
    (2, 540)
    """
    return _toroid.message_cost(_machine(machine), _payload(bytes))


def diameter(torus: Union[str, "_toroid.Shape"]) -> int:
    """Largest number of hops between two nodes on a shortest path.

    >>> import toroid
    >>> toroid.diameter("8x8x8")
    12
    """
    return _toroid.diameter(_shape(torus))


def usable_links(torus: Union[str, "_toroid.Shape"]) -> int:
    """Number of links of one node; on a mesh, of an inner node.

    >>> import toroid
    >>> toroid.usable_links("8x8x1")
    4
    """
    return _toroid.usable_links(_shape(torus))
