"""Runs commands: prints them exactly as run, ends them cleanly."""

import ctypes
import json
import os
import shlex
import signal
import subprocess
import sys
import time

from comparison import background_load

END_S = 5  # seconds a command gets to end after SIGTERM
PR_SET_CHILD_SUBREAPER = 36


class Failure(Exception):
    """A failed command, described in one line."""


class Skipped(Failure):
    """A command that this machine does not permit, described in one line."""


SKIPPED = 77  # exit code of such a command


class Runner:
    def __init__(self, timeout_s):
        self.timeout_s = timeout_s
        self.printed = []
        self.others = 0.0
        adopt_orphans()
        self.environment = dict(os.environ)
        self.as_root = {}
        if os.geteuid() == 0:
            self.as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
            self.environment.update(self.as_root)

    def text(self, command):
        """Returns the standard output of `command`; raises Failure if its exit code is not 0. Sets `others`
        to the number of cores that other processes kept busy while the command ran."""
        usage = background_load.Usage()
        out = self.output(command)
        self.others = usage.others()
        return out

    def output(self, command):
        self.note(command)
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, env=self.environment,
                                     start_new_session=True)
        except OSError as error:
            raise Failure(f"cannot start {command[0]}: {error.strerror}") from None
        try:
            out, err = child.communicate(timeout=self.timeout_s)
        except subprocess.TimeoutExpired:
            end(child)
            raise Failure(f"timeout after {self.timeout_s:g} s: {shlex.join(command)}") from None
        except BaseException:
            end(child)
            raise
        if child.returncode == SKIPPED:
            raise Skipped(reason(err))
        if child.returncode:
            raise Failure(f"exit {child.returncode}: {shlex.join(command)}: {reason(err)}")
        return out

    def json(self, command):
        """Returns the JSON object on the command's standard output."""
        out = self.text(command)
        try:
            return json.loads(out[out.index("{"):out.rindex("}") + 1])
        except ValueError:
            raise Failure(f"no JSON on standard output: {shlex.join(command)}") from None

    def note(self, command):
        """Prints each command once, in shell syntax."""
        line = shlex.join(command)
        if self.as_root and command[0] == "mpirun":
            line = " ".join(f"{key}={value}" for key, value in self.as_root.items()) + " " + line
        if line not in self.printed:
            self.printed.append(line)
            print(f"$ {line}", flush=True)


def adopt_orphans():
    """Makes processes that a command leaves behind children of this process, so that it can wait for them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end(child):
    """Ends a command and its orphans: mpirun ends its ranks on SIGTERM, but does not wait for them."""
    child.terminate()
    try:
        child.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    wait_for_orphans(time.monotonic() + END_S)
    child.communicate()


def wait_for_orphans(patience):
    try:
        while True:
            reaped, _ = os.waitpid(-1, os.WNOHANG)
            if reaped == 0 and time.monotonic() > patience:
                kill_children()
            if reaped == 0:
                time.sleep(0.05)
    except ChildProcessError:
        pass


def kill_children():
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
        for process in children.read().split():
            os.kill(int(process), signal.SIGKILL)


def reason(err):
    """Returns the most informative line of standard error."""
    lines = [line.strip() for line in err.splitlines() if line.strip(" -\t")]
    errors = [line for line in lines if "error" in line.lower() or line.startswith("toroid:")]
    return (errors or lines or ["no message"])[0]


def build(root, jobs, toroid_too):
    """Builds the baselines and, if `toroid_too`, toroid in Release."""
    baselines = ["-S", "tools/bench/baselines", "-B", "build/baselines", "-G", "Ninja"]
    steps = [["cmake", *baselines], ["cmake", "--build", "build/baselines", f"-j{jobs}"]]
    if toroid_too:
        steps += [["cmake", "--preset", "release"],
                  ["cmake", "--build", "--preset", "release", "--target", "toroid", f"-j{jobs}"]]
    for step in steps:
        print(f"$ {shlex.join(step)}", flush=True)
        done = subprocess.run(step, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.stderr.write(done.stdout)
            raise Failure(f"exit {done.returncode}: {shlex.join(step)}")
