"""FFTW's plans. A measured plan is the outcome of a race on a noisy machine, so each kind is planned
several times, where that does not take minutes, and the fastest outcome is kept as a file of wisdom: every
sample then runs that plan, without seconds of planning in which the machine may change under it."""

import statistics
from pathlib import Path

from comparison import load

KINDS = ("in", "out", "destroy")
HOPELESS = 1.5  # a kind that is slower than the best by this factor is not sampled
ATTEMPTS = 3  # times the plannings wanted


def prepare(measurement, runner, folder, plannings):
    """Appends the kinds with their best plans to the baseline's command."""
    folder.mkdir(parents=True, exist_ok=True)
    plannings = min(plannings, measurement.plannings or plannings)
    best = {kind: best_plan(measurement, runner, folder, kind, plannings) for kind in measurement.kinds}
    fastest = min(time for _, time, _ in best.values())
    measurement.theirs += [f"{kind}:{wisdom}" for kind, (_, time, wisdom) in best.items()
                           if time <= HOPELESS * fastest]


def best_plan(measurement, runner, folder, kind, plannings):
    """(disturbed, seconds of a transform, file of wisdom): one that nothing disturbed, if there is."""
    plans = []
    while sum(not disturbed for disturbed, _, _ in plans) < plannings and len(plans) < ATTEMPTS * plannings:
        wisdom = Path(folder, f"{measurement.name}.{kind}.{len(plans)}")
        wisdom.unlink(missing_ok=True)
        result = runner.json([*measurement.theirs, f"{kind}:{wisdom}"])
        time = statistics.median(result["rows"][0]["times_s"])
        plans.append((runner.others > load.LIMIT, time, str(wisdom)))
    return min(plans)
