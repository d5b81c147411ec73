"""Helpers shared by the tests of the Python module."""

import json
import os
import subprocess

COMMAND = os.environ["TOROID_COMMAND"]

TIMES = {"wall_s", "packet_hops_per_cpu_s", "command", "date", "threads", "git_hash"}  # these differ from run to run


def command_json(*words):
    """The JSON that the command writes."""
    done = subprocess.run([COMMAND, *words, "--json", "-"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [without_times(one) for one in value]
    return value
