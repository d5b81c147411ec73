"""FFTW's plans. Planning by measurement is noisy, so each kind is planned several times (unless that takes
minutes) and the fastest plan is kept as a wisdom file. Every sample then runs this plan without planning,
because the state of the machine could change during planning."""

import statistics
from pathlib import Path

from comparison import background_load

KINDS = ("in", "out", "destroy")
HOPELESS = 1.5  # a kind slower than the best by this factor is not sampled
ATTEMPTS = 3  # at most this many plannings for each one that is wanted


def prepare(measurement, runner, folder, plannings):
    """Appends the kinds with their best plans to the baseline's command."""
    folder.mkdir(parents=True, exist_ok=True)
    plannings = min(plannings, measurement.plannings or plannings)
    best = {kind: best_plan(measurement, runner, folder, kind, plannings) for kind in measurement.kinds}
    fastest = min(time for _, time, _ in best.values())
    measurement.theirs += [f"{kind}:{wisdom}" for kind, (_, time, wisdom) in best.items()
                           if time <= HOPELESS * fastest]


def best_plan(measurement, runner, folder, kind, plannings):
    """Returns (disturbed, seconds per transform, wisdom file) of the fastest plan, undisturbed if possible."""
    plans = []
    while sum(not disturbed for disturbed, _, _ in plans) < plannings and len(plans) < ATTEMPTS * plannings:
        wisdom = Path(folder, f"{measurement.name}.{kind}.{len(plans)}")
        wisdom.unlink(missing_ok=True)
        result = runner.json([*measurement.theirs, f"{kind}:{wisdom}"])
        time = statistics.median(result["rows"][0]["times_s"])
        plans.append((runner.others > background_load.LIMIT, time, str(wisdom)))
    return min(plans)
