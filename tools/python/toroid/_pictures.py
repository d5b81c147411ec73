"""Pictures of results, with matplotlib. Every function draws into `ax`, or into new axes, and returns the
axes, as pandas does. No function opens a window."""

from __future__ import annotations

from typing import Any

import numpy as np

_WIDTH = 6.4  # inches
_NO_MATPLOTLIB = "pictures need matplotlib: apt install python3-matplotlib"


def _axes(ax, rows=1, columns=1, height=3.6):
    """Return `ax`, or `rows` x `columns` new axes if it is None."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(_NO_MATPLOTLIB) from None
    figure, made = pyplot.subplots(
        rows, columns, figsize=(_WIDTH * columns, height * rows), layout="constrained",
        squeeze=False)
    made = made.ravel()
    return made[0] if rows * columns == 1 else made


def link_loads(result: Any, ax: Any = None) -> Any:
    """Draw the packets over each link, as a map of nodes (across) and directions (down). Links that do
    not exist are blank."""
    ax = _axes(ax, height=2.6)
    loads = np.asarray(result.link_loads, dtype=float)
    image = ax.imshow(loads.T, aspect="auto", interpolation="nearest", cmap="viridis")
    directions = list(result.directions)
    ax.set_yticks(range(len(directions)), directions)
    ax.set_xlabel("node")
    ax.set_title(f"Load of links; mean {np.nanmean(loads):.0f}, highest {np.nanmax(loads):.0f}")
    ax.figure.colorbar(image, ax=ax, label="packets")
    return ax


def latency(result: Any, ax: Any = None) -> Any:
    """Draw the distribution of packet latencies, in cycles from injection to handler."""
    ax = _axes(ax)
    histogram = result.latency_histogram
    edges = np.asarray(histogram.edges, dtype=float)
    density = np.asarray(histogram.counts) / np.diff(edges)  # buckets differ in width
    ax.stairs(density, edges, fill=True, alpha=0.7)
    ax.set_xlabel("latency, cycles")
    ax.set_ylabel("packets per cycle of latency")
    ax.set_title("Latency of packets")
    return ax


def fifo_occupancy(result: Any, ax: Any = None) -> Any:
    """Draw the occupancy of injection FIFOs over time: the mean of all nodes, and the fullest node."""
    ax = _axes(ax)
    occupancy = result.fifo_occupancy
    ax.plot(occupancy.cycles, occupancy.mean, label="mean of all nodes")
    ax.plot(occupancy.cycles, occupancy.highest, label="fullest node", alpha=0.7)
    ax.set_xlabel("cycle")
    ax.set_ylabel("chunks of 32 bytes")
    ax.set_ylim(bottom=0)
    ax.set_title("Injection FIFOs over time")
    ax.legend()
    return ax


def phases(result: Any, ax: Any = None) -> Any:
    """Draw the time of each phase of a transform; on sim also the bound of its exchange."""
    ax = _axes(ax)
    rows = result.json["phases"]
    names = [row["name"] for row in rows]
    places = np.arange(len(rows))
    ax.barh(places, result.phase_times * 1e6, 0.6, label="time")
    if all("exchange_bound_cycles" in row for row in rows):
        bounds = [row["exchange_bound_cycles"] / row["cycles"] * row["time_s"] for row in rows]
        ax.scatter(np.array(bounds) * 1e6, places, marker="|", s=220, color="black",
                   label="bound of the exchange", zorder=3)
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set_xlabel("microseconds")
    ax.set_title("Phases of the transform")
    ax.legend()
    return ax


def picture(one: Any, ax: Any = None) -> Any:
    """Draw one run: the phases of a transform, or the link loads, latencies and FIFOs of an exchange."""
    if "phases" in one.json:
        return phases(one, ax)
    drawers = [draw for key, draw in (("link_loads", link_loads), ("latency_histogram", latency),
                                      ("fifo_occupancy", fifo_occupancy))
               if getattr(one, key) is not None]
    if not drawers:
        raise ValueError("nothing to draw: this fabric and route do not count packets per link")
    if ax is not None or len(drawers) == 1:
        return drawers[0](one, ax)
    made = _axes(None, rows=len(drawers), height=2.8)
    for draw, place in zip(drawers, made):
        draw(one, place)
    return made


def _label(row, varying):
    return ", ".join(str(row[key]) for key in varying) or str(row["policy"])


def _varying(rows):
    """Return the keys of a case whose values differ between the rows."""
    keys = ("policy", "traffic", "torus", "bytes", "machine", "failed_link", "link_error",
            "routing", "output_queues", "packets_per_visit", "seed")
    return [key for key in keys if len({repr(row.get(key)) for row in rows}) > 1]


def comparison(rows: list, ax: Any = None) -> Any:
    """Draw one bar per run of a comparison: the percentage of its bound."""
    rows = [row for row in rows if not row.get("error")]
    varying = _varying(rows)
    ax = _axes(ax, height=max(2.0, 0.26 * len(rows) + 1.0))
    places = np.arange(len(rows))
    ax.barh(places, [row["percent_of_bound"] for row in rows], 0.7)
    ax.axvline(100, color="black", linewidth=1)
    ax.text(100, -0.9, "bound", ha="center", va="bottom", fontsize="small")
    ax.set_yticks(places, [_label(row, varying) for row in rows])
    ax.invert_yaxis()
    ax.set_xlabel("percent of the bound")
    return ax


def sweep(rows: list, ax: Any = None) -> Any:
    """Draw latency over load: one line for each policy, or for each combination of all settings that vary."""
    rows = [row for row in rows if not row.get("error")]
    varying = _varying(rows)
    ax = _axes(ax)
    lines = {}
    for row in rows:
        lines.setdefault(_label(row, varying), []).append((row["offered"], row["latency"]["mean"]))
    for name, points in lines.items():
        loads, latencies = zip(*sorted(points))
        ax.plot(np.asarray(loads) * 100, latencies, marker="o", markersize=3, label=name)
    ax.set_yscale("log")
    ax.set_xlabel("offered load, percent of the bound")
    ax.set_ylabel("mean latency, cycles")
    ax.set_title("Latency under load")
    ax.legend()
    return ax
