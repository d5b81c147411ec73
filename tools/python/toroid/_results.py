"""Results of runs, comparisons and sweeps."""

from __future__ import annotations

import json
from typing import Any, Iterator, NamedTuple, Optional

import numpy as np

from . import _pictures

_NO_PANDAS = "to_pandas() needs pandas: apt install python3-pandas"


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError(_NO_PANDAS) from None
    return pandas


class Keys(dict):
    """A JSON object whose keys are also attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no attribute {name!r}; known: {', '.join(self)}") from None

    def __dir__(self) -> list:
        return [*super().__dir__(), *self]


class Histogram(NamedTuple):
    """counts[i] packets had a latency of edges[i] <= cycles < edges[i + 1]."""

    edges: np.ndarray
    counts: np.ndarray


class Occupancy(NamedTuple):
    """Occupancy of injection FIFOs at the ends of intervals, in chunks of 32 bytes."""

    cycles: np.ndarray  #: [time]: cycle at the end of the interval
    nodes: np.ndarray  #: [time, node]: chunks in all FIFOs of the node
    mean: np.ndarray  #: [time]: mean of all nodes
    highest: np.ndarray  #: [time]: fullest node
    fifo_mean: np.ndarray  #: [time, fifo]: chunks in one FIFO, mean of all nodes
    fifo_highest: np.ndarray  #: [time, fifo]: chunks in one FIFO, fullest node
    capacity: int  #: capacity of all FIFOs of a node, in chunks


class Level(NamedTuple):
    """What nodes hold over time."""

    cycles: np.ndarray  #: [time]: cycle at the end of the interval
    mean: np.ndarray  #: [time]: mean of all nodes
    highest: np.ndarray  #: [time]: the node that holds most
    full: int  #: room of a node in chunks; for output queues the most packets that a node has held


def _level(recording: Optional[dict], name: str, cycles: Optional[np.ndarray]) -> Optional[Level]:
    if recording is None:
        return None
    full = recording[name + "_full"]
    mean, highest = (_chunks(recording[name + end][:, 0], full) for end in ("_mean", "_most"))
    return Level(cycles, mean, highest, full)


def _chunks(shares: np.ndarray, whole: int) -> np.ndarray:
    return shares * (whole / 255)


def _occupancy(recording: Optional[dict]) -> Optional[Occupancy]:
    if recording is None:
        return None
    one = recording["fifo_chunks"]
    capacity = one * recording["fifos"]
    nodes = _chunks(recording["fifo_fill"], capacity)
    cycles = recording["interval"] * np.arange(1, len(nodes) + 1)
    cycles[-1:] = recording["end"]
    return Occupancy(cycles, nodes, nodes.mean(axis=1), nodes.max(axis=1),
                     _chunks(recording["fifo_mean"], one), _chunks(recording["fifo_most"], one),
                     capacity)


class Result:
    """The result of one run.

    The keys of the command's JSON are attributes: `cycles` and `bound_cycles` (cycles of the machine's
    clock), `time_s` (seconds), `percent_of_peak`, `packets`, `links.max_load` (packets), `latency.p50`
    (cycles), `result_hash` and so on. `json` has all of them.

    Examples
    --------
    >>> import toroid
    >>> r = toroid.run(torus="4x4x4", bytes=240, policy="shift")
    >>> r.cycles >= r.bound_cycles
    True
    >>> r.link_loads.shape
    (64, 6)
    >>> int(r.latency_histogram.counts.sum()) == r.packets
    True
    """

    def __init__(self, made: dict) -> None:
        self.json: Keys = json.loads(made["json"], object_hook=Keys)
        #: Packets over each link, [node, direction]; NaN where there is no link.
        self.link_loads: Optional[np.ndarray] = made.get("link_loads")
        edges_and_counts = made.get("latency")
        #: Packet latencies, in cycles from injection to handler.
        self.latency_histogram: Optional[Histogram] = (
            Histogram(*edges_and_counts) if edges_and_counts else None)
        recording = made.get("recording")
        #: Injection FIFOs over time; None if the run was not recorded.
        self.fifo_occupancy: Optional[Occupancy] = _occupancy(recording)
        cycles = None if self.fifo_occupancy is None else self.fifo_occupancy.cycles
        #: Chunks in the reception FIFOs of nodes over time; None if the run was not recorded.
        self.reception_occupancy: Optional[Level] = _level(recording, "reception", cycles)
        #: Packets in the output queues of nodes over time; None if the run was not recorded.
        self.queue_occupancy: Optional[Level] = _level(recording, "queues", cycles)
        #: Fraction of each interval in which a link was busy, 0 to 1, [time, node, direction].
        self.link_busy: Optional[np.ndarray] = None
        if recording is not None:
            busy = recording["link_busy"] / 255
            self.link_busy = busy.reshape(len(busy), self.json.nodes, -1)

    @property
    def directions(self) -> list:
        """Names of the columns of `link_loads`; "X+" is the first."""
        count = 0 if self.link_loads is None else self.link_loads.shape[1]
        return [f"{'XYZUVW'[i // 2]}{'+-'[i % 2]}" for i in range(count)]

    @property
    def phase_times(self) -> Optional[np.ndarray]:
        """Time of each phase of a transform, in order, in seconds."""
        if "phases" not in self.json:
            return None
        return np.array([phase["time_s"] for phase in self.json["phases"]])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "json" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.json, name)

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    def __dir__(self) -> list:
        return [*super().__dir__(), *self.json]

    def __repr__(self) -> str:
        j = self.json
        if "cycles" in j:
            time = f"{j.cycles} cycles, {j.percent_of_bound:.1f} % of bound"
        else:
            time = f"{j.time_s:.3e} s, {j.percent_of_bound:.1f} % of bound"
        return f"<{j.verb} on {j.torus}, {j.fabric}, policy {j.policy}: {time}>"

    def plot(self, ax: Any = None) -> Any:
        """Draw the phases of a transform, or the link loads, the latencies and (if recorded) the injection
        FIFOs of an exchange. Returns matplotlib's axes."""
        return _pictures.picture(self, ax)

    def to_pandas(self) -> Any:
        """Return a pandas.Series of all values; nested keys are joined by dots."""
        pandas = _pandas()
        return pandas.json_normalize(self.json).iloc[0]


class Row(Keys):
    """One run of a comparison or sweep: its case (policy, traffic, torus, bytes) and its values."""


class Results:
    """The rows of a comparison or a sweep; each row has its keys as attributes.

    Examples
    --------
    >>> import toroid
    >>> rows = toroid.compare(torus="4x4", policies=["random", "shift"], bytes=480)
    >>> [row.policy for row in rows]
    ['random', 'shift']
    >>> rows[0].cycles == rows.json["rows"][0]["cycles"]
    True
    """

    def __init__(self, made: dict) -> None:
        self.json: Keys = json.loads(made["json"], object_hook=Keys)
        #: The table that the command prints.
        self.table: str = made["printed"]
        self._rows = [Row(row) for row in self.json["rows"]]

    @property
    def rows(self) -> list:
        """All rows, in order."""
        return list(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, at: Any) -> Any:
        return self._rows[at]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "json" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.json, name)

    def __repr__(self) -> str:
        return self.table.rstrip("\n")

    def plot(self, ax: Any = None) -> Any:
        """Draw the percentage of its bound for each run, or the latencies of a load sweep. Returns
        matplotlib's axes."""
        if self.json.get("axis") == "load":
            return _pictures.sweep(self._rows, ax)
        return _pictures.comparison(self._rows, ax)

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with one line per row; nested keys are joined by dots."""
        return _pandas().json_normalize(self._rows)
