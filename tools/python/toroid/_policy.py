"""Policies written in Python."""

from __future__ import annotations

import difflib
import inspect
import itertools
from typing import Any, Mapping, Optional, Sequence, Union

from . import _toroid

_numbers = itertools.count(1)


class Policy:
    """Base class of a packet scheduling policy: derive from it and define `order()`.

    `order()` is called once per node (and per round, with `changes_order`) and its result is kept, so a
    run is as fast as under a built-in policy. On `shm`, methods are called from other threads, one at a
    time. A method must return the same result whenever it gets the same arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import toroid
    >>> class Backwards(toroid.Policy):
    ...     def order(self, shape, rank, seed, round):
    ...         return (rank - np.arange(1, shape.size)) % shape.size
    >>> toroid.run(torus="4x4", policy=Backwards()).policy
    'backwards'
    """

    #: Name in tables and results (default: the class's name in lower case).
    name: str = ""
    #: Whether `order()` depends on the round; if not, it is called for round 0 only.
    changes_order: bool = False
    #: Whether all paths through relays are shortest paths, so that the bound of shortest paths holds.
    keeps_to_shortest_ways: bool = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__.lower()
        cls._has_relays = cls.relay is not Policy.relay
        cls._has_releases = cls.release is not Policy.release
        for member, value in cls.__dict__.items():
            if callable(value) and not member.startswith("_"):
                _refuse_unknown(cls.__name__, member)

    _has_relays = False
    _has_releases = False

    def order(self, shape: "_toroid.Shape", rank: int, seed: int, round: int) -> Sequence[int]:
        """Return the order in which node `rank` visits the other nodes.

        Parameters
        ----------
        shape : Shape
            The nodes that exchange: the machine, or in transforms a plane or a line of it.
        rank : int
        seed : int
            The same for all nodes.
        round : int
            Counts from 0 (the patent's d).

        Returns
        -------
        sequence or array of int
            The ranks of all other nodes, each once.
        """
        raise NotImplementedError(f"{type(self).__name__} has no order()")

    def settings(self, shape: "_toroid.Shape",
                 machine: "_toroid.Machine") -> Optional[Mapping[str, Any]]:
        """Return the settings of nodes besides the order, or None; missing keys keep their defaults.

        Keys
        ----
        order: "random", "rank" or "shift"; replaces `order()`
        packets_per_visit: the patent's b
        output_queues: the patent's L
        queue_per_direction: True gives each direction a queue of its own; replaces output_queues
        queue_capacity: in descriptors
        drain, tying, routing, tie: names, as for the command's options
        fifo_links: a table such as "X+X-,Y+Y-,any" of the links of each injection FIFO; replaces tying
        cycles_per_packet: the mean number of cycles between two packets of a node
        window: the largest number of packets of a node that wait for acknowledgement
        """
        return None

    def relay(self, shape: "_toroid.Shape") -> Any:
        """Return a table [source, destination] of relay ranks, or None to send packets directly."""
        return None

    def release(self, shape: "_toroid.Shape") -> Any:
        """Return a table [source, destination] of times in cycles, or None.

        The source sends no packet to the destination until this many cycles after it has started the
        exchange, nor to nodes that it visits later in the round. Has an effect on `sim` only.
        """
        return None


#: Methods of a policy in C++ that a policy in Python does not have.
_OF_CPP = ("stages", "combines", "has_releases", "source", "known_result")


def _refuse_unknown(policy: str, member: str) -> None:
    """Refuse a method that looks like one of Policy's, because nobody would call it."""
    known = [name for name, value in vars(Policy).items() if callable(value) and not name.startswith("_")]
    if member in known:
        return
    meant = difflib.get_close_matches(member, known, n=1, cutoff=0.7)
    if meant:
        raise TypeError(f"{policy}.{member}() is not a method of toroid.Policy; did you mean {meant[0]}()? The name of "
                        f"a method of your own begins with an underscore, or is less similar")
    if member in _OF_CPP:
        raise TypeError(f"{policy}.{member}() is not a method of toroid.Policy; its methods are {', '.join(known)}")


def source_of(policy: Policy) -> str:
    """Return a text that differs if the policy does, for the processes of a run to compare.

    It has the source of the policy's classes and those attributes of the object that are numbers or texts. A class
    that was typed at a prompt has no source; then its name stands for it.
    """
    texts = [f"{name} = {value!r}" for name, value in sorted(vars(policy).items())
             if isinstance(value, (bool, int, float, str))]
    for cls in type(policy).__mro__:
        if cls is Policy or not issubclass(cls, Policy):
            continue
        try:
            texts.append(inspect.getsource(cls))
        except (OSError, TypeError):
            texts.append(cls.__qualname__)
    return "\n".join(texts)


class Names:
    """The policies of a command. Policies that are objects get generated names, which stand for them in the words of
    the command line."""

    def __init__(self) -> None:
        self.objects: dict[str, Policy] = {}

    def word(self, policy: Union[str, Policy]) -> str:
        if isinstance(policy, str):
            return policy
        if isinstance(policy, type) and issubclass(policy, Policy):
            raise TypeError(f"{policy.__name__} is a class; expected an object: {policy.__name__}()")
        if not isinstance(policy, Policy):
            raise TypeError(f"{policy!r} is not a policy; expected a name or a toroid.Policy")
        for word, known in self.objects.items():
            if known is policy:
                return word
        word = f"@{next(_numbers)}"
        self.objects[word] = policy
        return word
