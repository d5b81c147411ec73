#!/usr/bin/env python3
"""Renews the values in reference_values.txt after the model has been changed on purpose.

    reference_values.py COMMAND

COMMAND is a path to toroid. The script runs every command line of the table with it, and writes values from the JSON
of the run below the line. LISTS and MEMBERS name the objects and members to write. `git diff` shows what has changed.
"""

import json
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().with_suffix(".txt")
LISTS = ["rows", "saturation", "phases", "grids", "sizes", "timings"]
OF_LISTS = ["", "blocking", "non_blocking"]  # objects in each element of LISTS; "" is the element itself
MEMBERS = ["policy", "traffic", "torus", "bytes", "offered", "name", "size", "cycles", "exchange_cycles",
           "overlap_cycles", "packets", "packet_hops", "forwarded", "acknowledgements", "latency/p50",
           "latency/p99", "latency/max", "latency_cycles/p50", "latency_cycles/p99", "latency_cycles/max",
           "generated", "accepted", "saturated", "carried", "saturated_at", "links/max_load", "channels/D0",
           "channels/D1", "channels/BN", "channels/BP", "planes", "plane_loop", "pack", "communication",
           "last_axis", "unpack", "waits", "compute", "exposed", "total", "iterations"]
SECONDS = ["time_s", "least_s", "most_s"]  # written if the object has no cycles
OF_THE_COMMAND = {"policy", "torus", "bytes", "size"}  # given by the command line, so not written for the whole JSON


def at(value, path):
    for key in path.split("/") if path else []:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text(value):
    return value if isinstance(value, str) else json.dumps(value)


def lines_of(report):
    objects = [("", report)]
    for name in LISTS:
        for index, element in enumerate(report.get(name, [])):
            objects += [(f"{name}/{index}/{inner}".rstrip("/"), at(element, inner)) for inner in OF_LISTS]
    for where, thing in objects:
        if not isinstance(thing, dict):
            continue
        said = [(member, at(thing, member)) for member in MEMBERS + ([] if "cycles" in thing else SECONDS)
                if where or member not in OF_THE_COMMAND]
        pairs = [f"{member}={text(value)}" for member, value in said
                 if value is not None and not isinstance(value, (dict, list))]
        if pairs:
            yield "  " + " ".join(([where + ":"] if where else []) + pairs)


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    renewed = []
    for line in TABLE.read_text().splitlines():
        if line.startswith(" "):
            continue
        renewed.append(line)
        if line and not line.startswith("#"):
            run = [command, *line.split(), "--fabric", "sim", "--quiet", "--json", "-"]
            out = subprocess.run(run, cwd=TABLE.parent, stdout=subprocess.PIPE, check=True).stdout
            # Numbers stay text, so that they keep their digits.
            renewed += lines_of(json.loads(out, parse_float=str, parse_int=str))
    TABLE.write_text("\n".join(renewed) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
