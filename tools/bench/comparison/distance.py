"""How far the two cores are from each other just now. A hypervisor moves its virtual processors:
within seconds the two may share one physical core (twin), share a cache (near) or not (far)."""

import time

# Upper limits of the round trip of a cache line, ns. Seen on an AMD EPYC 9004 under KVM: 46 twin,
# 107 to 128 near, 470 to 530 far. Near is below twice the best near one. Beyond: something else ran.
LIMITS_NS = {"twin": 75, "near": 216, "far": 1000}
DISTURBED = "disturbed"


class PingPong:
    def __init__(self, runner, program, limits=None):
        self.runner, self.program = runner, program
        self.limits = limits or LIMITS_NS

    def __call__(self):
        """(kind, nanoseconds of a round trip)"""
        rows = self.runner.json([self.program])["rows"]
        ns = next(row["median_s"] for row in rows if row["what"] == "round_trip") * 1e9
        return self.kind(ns), ns

    def kind(self, ns):
        return next((kind for kind, limit in self.limits.items() if ns < limit), DISTURBED)

    def wait_for(self, kind, seconds=60):
        """The first ping-pong of this kind, or the last one in time."""
        end = time.monotonic() + seconds
        while True:
            seen = self()
            if kind in (None, seen[0]) or time.monotonic() > end:
                return seen
            time.sleep(0.2)
