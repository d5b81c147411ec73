"""Measures how many cores other processes use. If they take a small share of the time of the cores on which ranks or
threads spin, the ranks or threads lose far more than that share. The median of a ping-pong does not show this loss."""

import os
import resource
import time

LIMIT = 0.15  # cores; a sample during which others used more is discarded
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Usage:
    def __init__(self):
        self.start = time.monotonic(), busy(), own()

    def others(self):
        """Mean number of cores that other processes kept busy, including stolen time."""
        wall, all_of_it, ours = (now - then for now, then in
                                 zip((time.monotonic(), busy(), own()), self.start))
        # The kernel's counters are coarse: two ticks are noise.
        return max(0.0, all_of_it - ours - 2 * TICK_S) / max(wall, TICK_S)


def busy():
    """Core seconds since the start of the machine: user, nice, system, irq, softirq, steal."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(text) for text in stat.readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) * TICK_S


def own():
    """Core seconds of this process and of its ended commands."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
