"""Tests of the snippets check: it fails if a document is wrong."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from blocks import Malformed, blocks_of, commands_of, matches

HERE = pathlib.Path(__file__).parent
SOURCE = HERE.parent.parent


def document(*lines):
    return "\n".join(lines) + "\n"


class Blocks(unittest.TestCase):
    def test_have_the_marks_that_stand_directly_before_them(self):
        text = document("a", "<!-- before: ls -->", "<!-- before: pwd -->", "", "```console", "$ a", "```")
        (block,) = blocks_of(text, "x")
        self.assertEqual(block.marks, [("before", "ls"), ("before", "pwd")])
        self.assertFalse(block.is_skipped())
        self.assertEqual(block.line, 6)

    def test_that_are_not_run_need_a_reason(self):
        with self.assertRaises(Malformed):
            blocks_of(document("<!-- not run: -->", "```console", "$ a", "```"), "x")
        (block,) = blocks_of(document("<!-- not run: hosts -->", "```console", "$ a", "```"), "x")
        self.assertTrue(block.is_skipped())

    def test_without_end_and_marks_without_block_are_refused(self):
        with self.assertRaises(Malformed):
            blocks_of(document("```cpp", "int a;"), "x")
        with self.assertRaises(Malformed):
            blocks_of(document("<!-- fragment -->", "text", "```cpp", "int a;", "```"), "x")

    def test_are_cut_into_commands_with_their_output(self):
        text = document("```console", "$ one \\", "    two", "out", "", "$ three", "```")
        (block,) = blocks_of(text, "x")
        first, second = commands_of(block, "x")
        self.assertEqual((first.text, first.shown), ("one \\\n    two", ["out", ""]))
        self.assertEqual((second.line, second.text, second.shown), (6, "three", []))


class Output(unittest.TestCase):
    def test_must_match_except_where_three_dots_are_shown(self):
        printed = ["time 1.5 s", "", "end"]
        for shown in (printed, ["time ... s", "", "end"], ["..."], ["time 1.5 s", "..."]):
            self.assertTrue(matches(shown, printed), shown)
        for shown in (["time 1.6 s", "", "end"], ["time 1.5 s"], ["time 1.5 s", "", "end", "more"],
                      ["...", "en"], ["time ... m", "", "end"]):
            self.assertFalse(matches(shown, printed), shown)


class Documents(unittest.TestCase):
    """Checks documents against a prefix in which toroid is a script."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "prefix/bin").mkdir(parents=True)
        (self.path / "prefix/lib").mkdir()
        toroid = self.path / "prefix/bin/toroid"
        toroid.write_text('#!/bin/sh\necho "$@"\ncase "$1" in\nwrong) echo "toroid: wrong" >&2; exit 2;;\nesac\n')
        toroid.chmod(0o755)
        (self.path / "prefix/lib/toroid.pc").write_text("Name: toroid\nDescription: none\nVersion: 0\n")

    def run_on(self, *lines):
        (self.path / "document.md").write_text(document(*lines))
        return subprocess.run(
            [sys.executable, "-B", HERE / "snippets.py", "--source", SOURCE, "--prefix", self.path / "prefix",
             "--compiler", os.environ.get("CXX", "g++"), "--scratch", self.path / "scratch",
             self.path / "document.md"], capture_output=True, text=True, check=False)

    def hold(self, *lines):
        ended = self.run_on(*lines)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def fail_at(self, line, *lines):
        ended = self.run_on(*lines)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn(f"document.md:{line}: ", ended.stdout)

    def test_pass_if_commands_print_the_output_shown(self):
        self.hold("```console", "$ toroid a b", "a b", "$ ls tools/quickstart   # a file of the project",
                  "```", "```", "$ toroid wrong", "```")

    def test_fail_if_a_command_fails(self):
        self.fail_at(3, "```console", "$ toroid right", "$ toroid wrong", "```")
        self.fail_at(2, "```console", "$ toroid nothing > missing/file", "```")

    def test_fail_if_the_output_differs(self):
        self.fail_at(2, "```console", "$ toroid a b", "a c", "```")

    def test_pass_if_a_refusal_is_shown(self):
        self.hold("```console", "$ toroid wrong", "wrong", "toroid: wrong", "$ echo $?", "2", "```")
        self.fail_at(2, "```console", "$ echo 'toroid: wrong'", "toroid: wrong", "```")

    def test_pass_if_programs_compile_and_exit_with_0(self):
        self.hold("```cpp", "#include <vector>", "std::vector<int> v;", "```",
                  "<!-- fragment -->", "```cpp", "plan.forward(in, out);", "```")
        self.fail_at(2, "```cpp", "std::vector<int> v;", "```")
        self.fail_at(2, "```cpp", "int main() { return 3; }", "```")

    def test_fail_if_a_block_differs_from_its_file(self):
        self.fail_at(3, "<!-- file: tests/packages.txt -->", "```", "nothing", "```")
        packages = (SOURCE / "tests/packages.txt").read_text().splitlines()
        self.hold("<!-- file: tests/packages.txt -->", "```", *packages, "```")


if __name__ == "__main__":
    unittest.main()
