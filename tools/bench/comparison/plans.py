"""FFTW's plans. A measured plan is the outcome of a race on a noisy machine, so each kind is planned
several times and the fastest outcome is kept as a file of wisdom: every sample then runs that plan,
without seconds of planning in which the machine may change under it."""

import statistics
from pathlib import Path

KINDS = ("in", "out", "destroy")
HOPELESS = 1.5  # a kind that is slower than the best by this factor is not sampled


def prepare(measurement, runner, folder, plannings):
    """Appends the kinds with their best plans to the rival's command."""
    folder.mkdir(parents=True, exist_ok=True)
    best = {kind: min(plan(measurement, runner, folder, kind, i) for i in range(plannings))
            for kind in measurement.kinds}
    fastest = min(time for time, _ in best.values())
    measurement.theirs += [f"{kind}:{wisdom}" for kind, (time, wisdom) in best.items()
                           if time <= HOPELESS * fastest]


def plan(measurement, runner, folder, kind, attempt):
    """(seconds of a transform, file of wisdom)"""
    wisdom = Path(folder, f"{measurement.name}.{kind}.{attempt}")
    wisdom.unlink(missing_ok=True)
    result = runner.json([*measurement.theirs, f"{kind}:{wisdom}"])
    return statistics.median(result["rows"][0]["times_s"]), str(wisdom)
