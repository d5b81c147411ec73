"""Measures the current distance between the two cores. A hypervisor moves its virtual processors, so the
distance may change within seconds: the two share a physical core (twin), share a cache (near) or share
neither (far)."""

import time

# Upper limits of the round trip of a cache line, ns. The times on an AMD EPYC 9004 under KVM were 46 twin, 107 to 128
# near, 470 to 530 far. The near limit is about twice the best near time. A time above all limits means that another
# process ran.
LIMITS_NS = {"twin": 75, "near": 216, "far": 1000}
DISTURBED = "disturbed"


class PingPong:
    def __init__(self, runner, program, limits=None):
        self.runner, self.program = runner, program
        self.limits = limits or LIMITS_NS

    def __call__(self):
        """Returns (kind, nanoseconds of a round trip)."""
        rows = self.runner.json([self.program])["rows"]
        ns = next(row["median_s"] for row in rows if row["what"] == "round_trip") * 1e9
        return self.kind(ns), ns

    def kind(self, ns):
        return next((kind for kind, limit in self.limits.items() if ns < limit), DISTURBED)

    def wait_for(self, kind, seconds=60):
        """Returns the first ping-pong of this kind, or the last one before the time limit."""
        end = time.monotonic() + seconds
        while True:
            seen = self()
            if kind in (None, seen[0]) or time.monotonic() > end:
                return seen
            time.sleep(0.2)
