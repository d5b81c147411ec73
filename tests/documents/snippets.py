#!/usr/bin/env python3
"""Runs and compiles the code blocks of a document against an installed toroid.

    snippets.py --source DIR --prefix DIR --compiler PATH --scratch DIR DOCUMENT

`console` blocks: every command must exit with 0, or with 1 or 2 if the block shows a line "toroid: ...";
its output must match the lines below it. `cpp` blocks are compiled and, if they have a main, run. `cmake`
blocks are put into a project whose program `mine` is the installed example. `toml` blocks must be machine
files. blocks.py describes the marks. All commands of a document run in one folder that contains links to the
project's top-level files and folders. Prints each failure with its line, and exits with 1 if there is one.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

from blocks import Malformed, blocks_of, commands_of, matches

LIMIT = 280  # seconds per command, while the machine may be compiling other things

PROJECT = """cmake_minimum_required(VERSION 3.23)
project(mine LANGUAGES CXX)
add_executable(mine {program})
"""


class Document:
    def __init__(self, options):
        self.path = pathlib.Path(options.document)
        self.source = pathlib.Path(options.source).resolve()
        self.prefix = pathlib.Path(options.prefix).resolve()
        self.compiler = options.compiler
        self.scratch = pathlib.Path(options.scratch).resolve()
        self.name = self.path.name
        self.failures = []
        self.last_code = 0
        self.environment = dict(os.environ)
        self.environment["PATH"] = f"{self.prefix}/bin:{os.environ['PATH']}"
        pkgconfig = sorted(str(path.parent) for path in self.prefix.glob("lib*/**/toroid.pc"))
        self.environment["PKG_CONFIG_PATH"] = ":".join(pkgconfig)

    def fail(self, line, what):
        self.failures.append(line)
        print(f"{self.path}:{line}: {what}")

    def prepare(self):
        """Makes the folder, with links to everything in the project's top folder except builds."""
        subprocess.run(["rm", "-rf", self.scratch], check=True)
        (self.scratch / "build/release/tools").mkdir(parents=True)
        for entry in self.source.iterdir():
            if entry.name != "build":
                (self.scratch / entry.name).symlink_to(entry)
        (self.scratch / "build/release/tools/toroid").symlink_to(self.prefix / "bin/toroid")

    def run(self, arguments, name=None):
        """Runs a program; returns its exit code and printed lines. Kills its process group after LIMIT."""
        began = time.monotonic()
        process = subprocess.Popen(
            arguments, cwd=self.scratch, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
        seconds = time.monotonic() - began
        print(f"  {seconds:6.1f} s  {name or arguments[-1]}")
        return process.returncode, output.decode(errors="replace").splitlines()

    def shell(self, text):
        """Runs a line of shell; `$?` in it is the exit code of the previous command."""
        code, printed = self.run(["bash", "-c", f"(exit {self.last_code})\n{text}"], text)
        self.last_code = max(code, 0)
        return code, printed

    def type(self, command):
        code, printed = self.shell(command.text)
        refused = any(line.startswith("toroid: ") for line in command.shown)
        if code not in ((1, 2) if refused else (0,)):
            self.fail(command.line, f"exit code {code} of: {command.text}\n" + "\n".join(printed))
        elif command.shown and not matches(command.shown, printed):
            self.fail(command.line, f"different output: {command.text}\n" + "\n".join(printed))

    def console(self, block):
        for word, text in block.marks:
            if word == "before":
                code, printed = self.shell(text)
                if code != 0:
                    self.fail(block.line, f"exit code {code} of: {text}\n" + "\n".join(printed))
        self.last_code = 0
        for command in commands_of(block, self.name):
            self.type(command)

    def cpp(self, block):
        program = self.scratch / f"line{block.line}.cpp"
        program.write_text(block.text)
        is_program = "int main(" in block.text
        what = f"-o {program}.out" if is_program else "-fsyntax-only"
        package = "toroid-ofi" if "<toroid/router/ofi/" in block.text else "toroid"
        flags = f"$(pkg-config --cflags --libs {package})"
        code, printed = self.run(["bash", "-c", f"{self.compiler} {program} {what} {flags}"])
        if code != 0:
            return self.fail(block.line, "does not compile\n" + "\n".join(printed))
        if is_program:
            code, printed = self.run([f"{program}.out"])
            if code != 0:
                self.fail(block.line, f"exits with {code}\n" + "\n".join(printed))

    def cmake(self, block):
        folder = self.scratch / f"line{block.line}"
        folder.mkdir()
        program = self.prefix / "share/toroid/examples/library/hello.cpp"
        (folder / "CMakeLists.txt").write_text(PROJECT.format(program=program) + block.text)
        for command in (
            f"cmake -S {folder} -B {folder}/build -DCMAKE_PREFIX_PATH={self.prefix}"
            f" -DCMAKE_CXX_COMPILER={self.compiler}",
            f"cmake --build {folder}/build",
            f"{folder}/build/mine"):
            code, printed = self.run(["bash", "-c", command])
            if code != 0:
                return self.fail(block.line, f"fails: {command}\n" + "\n".join(printed))

    def toml(self, block):
        machine = self.scratch / f"line{block.line}.toml"
        machine.write_text(block.text)
        code, printed = self.run(["bash", "-c", f"toroid info --machine {machine}"])
        if code != 0:
            self.fail(block.line, "is not a machine file\n" + "\n".join(printed))

    def check(self, block):
        original = block.mark("file")
        if original is not None and (self.source / original).read_text() != block.text:
            self.fail(block.line, f"differs from {original}")
        kinds = {"console": self.console, "cpp": self.cpp, "cmake": self.cmake, "toml": self.toml}
        if block.language in kinds and not block.is_skipped():
            kinds[block.language](block)

    def check_all(self):
        self.prepare()
        for block in blocks_of(self.path.read_text(), self.name):
            self.check(block)
        subprocess.run(["rm", "-rf", self.scratch], check=True)


def main():
    parser = argparse.ArgumentParser()
    for option in ("source", "prefix", "compiler", "scratch"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("document")
    document = Document(parser.parse_args())
    try:
        document.check_all()
    except Malformed as error:
        sys.exit(str(error))
    if document.failures:
        sys.exit(f"{document.path}: {len(document.failures)} snippets fail")


if __name__ == "__main__":
    main()
