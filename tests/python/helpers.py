"""Helpers shared by the tests of the Python module."""

import json
import os
import subprocess
import sys
import tempfile

import toroid

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


def run_program(text, *launcher):
    """Run a Python program in a process of its own, or in several."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(text)
        return subprocess.run([*launcher, sys.executable, program], capture_output=True, text=True, timeout=120)


def launch(text, processes):
    return run_program(text, COMMAND, "launch", "-n", str(processes))


def has_ofi():
    try:
        toroid.Plan((2, 2), torus="1", fabric="ofi").close()
    except toroid.BadInput as error:
        if "built without ofi" in str(error):
            return False
        raise
    return True
