import doctest
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TOROID_SOURCE_DIR"])
DOCUMENT = SOURCE / "docs" / "PYTHON.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Document(unittest.TestCase):
    def test_programs_print_the_output_shown_below_them(self):
        blocks = BLOCK.findall(DOCUMENT.read_text())
        programs = 0
        for (language, text), (_, below) in zip(blocks, blocks[1:]):
            if language != "python" or ">>>" in text:
                continue
            programs += 1
            self.assertLessEqual(len(text.splitlines()), 15)
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "program.py"
                program.write_text(text)
                done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.stdout, below)
        self.assertGreater(programs, 0)

    def test_sessions_print_the_results_shown(self):
        text = "".join(block for language, block in BLOCK.findall(DOCUMENT.read_text())
                       if language == "python" and ">>>" in block)
        session = doctest.DocTestParser().get_doctest(text, {
            "toroid": __import__("toroid")}, "PYTHON.md", str(DOCUMENT), 0)
        self.assertEqual(doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session).failed, 0)


if __name__ == "__main__":
    unittest.main()
