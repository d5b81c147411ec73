#!/usr/bin/env python3
"""Runs a program in several processes, and checks that process 0 alone prints its line.

    several_processes.py launch|mpirun|by-hand TOROID PROGRAM LINE

`launch` starts the processes with the command TOROID, `mpirun` with Open MPI, `by-hand` without a launcher, by
environment variables. LINE is the expected output, with {n} for the number of processes, as a regular expression.
Exits with 77 and the reason if mpirun is not installed, with 1 if a run differs from what is expected.
"""

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys

LIMIT = 120  # seconds per run, while the machine may be compiling other things
SKIPPED = 77


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment_of(rank, size, port, key):
    return dict(os.environ, RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                TOROID_JOB_KEY=key)


def run_all(commands):
    """Runs (command, environment) pairs at the same time; returns their exit codes and all they print."""
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                 for command, environment in commands]
    texts = [process.communicate(timeout=LIMIT)[0] for process in processes]
    return [process.returncode for process in processes], "".join(texts)


def commands_of(way, toroid, program, size):
    if way == "launch":
        return [([toroid, "launch", "-n", str(size), program], None)]
    if way == "mpirun":
        return [(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(size), program], None)]
    port, key = free_port(), secrets.token_hex(16)
    return [([program], environment_of(rank, size, port, key)) for rank in range(size)]


def main():
    way, toroid, program, line = sys.argv[1:]
    if way == "mpirun" and shutil.which("mpirun") is None:
        print("skipped: mpirun is not installed")
        return SKIPPED
    failed = False
    for size in (2, 3, 4):
        codes, text = run_all(commands_of(way, toroid, program, size))
        expected = line.replace("{n}", str(size))
        if any(codes) or not re.fullmatch(expected, text.strip()):
            print(f"{way}, {size} processes: exit codes {codes}, expected '{expected}', printed:\n{text}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
