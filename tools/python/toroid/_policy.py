"""Policies written in Python."""

from __future__ import annotations

import itertools
from typing import Any, Mapping, Optional, Sequence, Union

from . import _toroid

_numbers = itertools.count(1)


class Policy:
    """A packet scheduling policy of one's own: derive from it and write `order()`.

    A policy is asked before a run, once for every node (and round, where `changes_order`), and what it
    says is copied; a run then costs what one under a built-in policy costs. On `shm` its methods are
    called from other threads, one at a time. Methods must say the same whenever they are asked the
    same.

    >>> import numpy as np
    >>> import toroid
    >>> class Backwards(toroid.Policy):
    ...     def order(self, shape, rank, seed, round):
    ...         return (rank - np.arange(1, shape.size)) % shape.size
    >>> toroid.run(torus="4x4", policy=Backwards()).policy
    'backwards'
    """

    #: What tables and results call it; the class's name, in lower case, where it says nothing.
    name: str = ""
    #: Whether `order()` depends on the round; it is asked for round 0 only otherwise.
    changes_order: bool = False
    #: Whether all ways by way of `relay()` are shortest ones, so that their bound holds.
    keeps_to_shortest_ways: bool = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__.lower()
        cls._has_relays = cls.relay is not Policy.relay

    _has_relays = False

    def order(self, shape: "_toroid.Shape", rank: int, seed: int, round: int) -> Sequence[int]:
        """The ranks of all other nodes, each once, in the order in which node `rank` visits them.

        `shape` is of the nodes that exchange: the machine, or in transforms a plane or line of it.
        `seed` is the same for all nodes; `round` counts from 0 (the patent's d). Returns an array of
        whole numbers, or any sequence.
        """
        raise NotImplementedError(f"{type(self).__name__} has no order()")

    def settings(self, shape: "_toroid.Shape",
                 machine: "_toroid.Machine") -> Optional[Mapping[str, Any]]:
        """What nodes decide besides the order; settings that are left out stay the usual ones.

        Keys: order (random, rank, shift: instead of `order()`), packets_per_visit (the patent's b),
        output_queues (L), queue_per_direction, queue_capacity (descriptors), drain, tying, routing,
        tie, cycles_per_packet (of a node, at least), window (packets without acknowledgement).
        """
        return None

    def relay(self, shape: "_toroid.Shape") -> Any:
        """A table [source, destination] of the ranks by way of which packets go; None: straight."""
        return None


class Names:
    """The policies of a command: words for those of its line that are objects."""

    def __init__(self) -> None:
        self.objects: dict[str, Policy] = {}

    def word(self, policy: Union[str, Policy]) -> str:
        if isinstance(policy, str):
            return policy
        if isinstance(policy, type) and issubclass(policy, Policy):
            policy = policy()
        if not isinstance(policy, Policy):
            raise TypeError(f"{policy!r} is no policy; expected a name or a toroid.Policy")
        for word, known in self.objects.items():
            if known is policy:
                return word
        word = f"@{next(_numbers)}"
        self.objects[word] = policy
        return word
