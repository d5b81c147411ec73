"""Describes the host of the measurements."""

import os
import platform
import subprocess


def describe():
    return {"cpu": cpu(), "cores": os.cpu_count(), "kernel": platform.release(),
            "load": round(os.getloadavg()[0], 2), "fftw": fftw(), "mpi": first_line(["mpirun", "--version"]),
            "compiler": first_line(["c++", "--version"])}


def cpu():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        found = {}
        for line in info:
            key, _, value = line.partition(":")
            found.setdefault(key.strip(), value.strip())
    return "{}, family {} model {}".format(found.get("model name", "unknown"), found.get("cpu family", "?"),
                                           found.get("model", "?"))


def fftw():
    return first_line(["pkg-config", "--modversion", "fftw3"])


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"
