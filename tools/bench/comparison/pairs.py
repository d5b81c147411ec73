"""Alternating pairs: ours, theirs, ours, theirs ..., a ping-pong before the first and after every
sample. A pair is kept if the three around it are of one kind."""

import sys
from collections import Counter

from comparison.distance import DISTURBED

ATTEMPTS = 3  # times the pairs wanted


def sample(measurement, runner, ping_pong, wanted, kind):
    """All pairs, kept or not."""
    if measurement.ours is None or measurement.theirs is None:
        pairs = [one_side(measurement, runner) for _ in range(wanted)]
        return pairs
    pairs = []
    before = ping_pong.wait_for(kind)
    while not enough(pairs, wanted, kind) and len(pairs) < ATTEMPTS * wanted:
        if kind not in (None, before[0]):
            before = ping_pong.wait_for(kind)
        pairs.append(pair(measurement, runner, ping_pong, before))
        before = pairs[-1]["ping_pongs"][-1]
        progress(measurement, pairs, wanted)
    print(file=sys.stderr)
    return pairs


def pair(measurement, runner, ping_pong, before):
    ours = measurement.read_ours(runner.json(measurement.ours))
    between = ping_pong()
    if between[0] != before[0]:  # lost already
        return {"kind": None, "ping_pongs": [before, between], "ours": ours, "theirs": None}
    theirs = measurement.read_theirs(runner.json(measurement.theirs))
    after = ping_pong()
    one_kind = after[0] == before[0] != DISTURBED
    return {"kind": before[0] if one_kind else None, "ping_pongs": [before, between, after],
            "ours": ours, "theirs": theirs}


def one_side(measurement, runner):
    """For what has no rival, or is one without a bar."""
    result = {"kind": "any", "ping_pongs": [], "ours": None, "theirs": None}
    if measurement.ours:
        result["ours"] = measurement.read_ours(runner.json(measurement.ours))
    else:
        result["theirs"] = measurement.read_theirs(runner.json(measurement.theirs))
    return result


def enough(pairs, wanted, kind):
    return len(kept(pairs, kind)[1]) >= wanted


def kept(pairs, kind=None):
    """(kind, pairs of it): the kind asked for, or the one with most pairs."""
    kinds = Counter(pair["kind"] for pair in pairs if pair["kind"])
    chosen = kind or (kinds.most_common(1)[0][0] if kinds else None)
    return chosen, [pair for pair in pairs if pair["kind"] and pair["kind"] in (chosen, "any")]


def progress(measurement, pairs, wanted):
    kind, good = kept(pairs)
    print(f"\r{measurement.name}: {len(pairs)} pairs, kept {len(good)} of {wanted} {kind or ''}  ",
          end="", file=sys.stderr, flush=True)
