"""What other processes take of the cores. Ranks and threads that spin on cores of their own suffer by
far more than the share they lose, and a ping-pong's median does not show it."""

import os
import resource
import time

LIMIT = 0.15  # cores; a sample beside more than this is not kept
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Usage:
    def __init__(self):
        self.start = time.monotonic(), busy(), own()

    def others(self):
        """Mean number of cores that were busy with what is not ours, stolen time included."""
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
    """Core seconds of this process and of the commands that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)
