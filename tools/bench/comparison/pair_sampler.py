"""Alternating pairs: ours, theirs, ours, theirs ..., with a ping-pong before the first and after every
sample. A pair is kept if its three ping-pongs are of one kind and no other process kept the cores busy."""

import sys
from collections import Counter

from comparison import background_load
from comparison.core_distance import DISTURBED

ATTEMPTS = 3  # at most this many pairs for each one that is wanted


def sample(measurement, runner, ping_pong, wanted, kind):
    """Returns all pairs, including those that are not kept."""
    alone = measurement.ours is None or measurement.theirs is None
    pairs = []
    before = None
    while not enough(pairs, wanted, kind) and len(pairs) < ATTEMPTS * wanted:
        if alone:
            pairs.append(one_side(measurement, runner))
        else:
            if before is None or kind not in (None, before[0]):
                before = ping_pong.wait_for(kind)
            pairs.append(pair(measurement, runner, ping_pong, before))
            before = pairs[-1]["ping_pongs"][-1]
        progress(measurement, pairs, wanted)
    print(file=sys.stderr)
    return pairs


def pair(measurement, runner, ping_pong, before):
    ours = measurement.read_ours(runner.json(measurement.ours))
    result = {"kind": None, "ping_pongs": [before], "others": [runner.others], "ours": ours,
              "theirs": None}
    result["ping_pongs"].append(ping_pong())
    if not of_one_kind(result):  # the pair will not be kept
        return result
    result["theirs"] = measurement.read_theirs(runner.json(measurement.theirs))
    result["others"].append(runner.others)
    result["ping_pongs"].append(ping_pong())
    if of_one_kind(result):
        result["kind"] = before[0]
    return result


def of_one_kind(pair):
    kinds = {kind for kind, _ in pair["ping_pongs"]}
    return len(kinds) == 1 and DISTURBED not in kinds and max(pair["others"]) <= background_load.LIMIT


def one_side(measurement, runner):
    """Measures one side only: a row without a baseline, or a baseline without a bar."""
    result = {"kind": None, "ping_pongs": [], "ours": None, "theirs": None}
    if measurement.ours:
        result["ours"] = measurement.read_ours(runner.json(measurement.ours))
    else:
        result["theirs"] = measurement.read_theirs(runner.json(measurement.theirs))
    result["others"] = [runner.others]
    if runner.others <= background_load.LIMIT:
        result["kind"] = "any"
    return result


def enough(pairs, wanted, kind):
    return len(kept(pairs, kind)[1]) >= wanted


def kept(pairs, kind=None):
    """Returns (kind, its pairs) for the given kind, or for the kind with most pairs."""
    kinds = Counter(pair["kind"] for pair in pairs if pair["kind"])
    chosen = kind or (kinds.most_common(1)[0][0] if kinds else None)
    return chosen, [pair for pair in pairs if pair["kind"] and pair["kind"] in (chosen, "any")]


def progress(measurement, pairs, wanted):
    kind, good = kept(pairs)
    print(f"\r{measurement.name}: {len(pairs)} pairs, kept {len(good)} of {wanted} {kind or ''}, "
          f"others {max(pairs[-1]['others']):.2f} cores  ",
          end="", file=sys.stderr, flush=True)
