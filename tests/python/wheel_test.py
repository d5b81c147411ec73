"""The wheel can be built offline and works in a fresh virtual environment."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import toroid

SOURCE = pathlib.Path(os.environ["TOROID_SOURCE_DIR"])
BUILD = pathlib.Path(toroid.__file__).parents[2]

PROGRAM = """
import toroid
assert toroid.run(torus="4x4", bytes=240).packets == 240
print(toroid.__file__)
"""


def run(*words, **more):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Wheel(unittest.TestCase):
    def test_is_installed_and_imported_in_a_fresh_environment(self):
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment |= {"TOROID_BUILD": str(BUILD), "PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1"}
        with tempfile.TemporaryDirectory() as place:
            copy = pathlib.Path(place) / "toroid"
            (copy / "hal").mkdir(parents=True)
            for name in ("hal/version.hpp", "tools"):  # a copy, because setuptools writes beside its sources
                run("cp", "-r", SOURCE / name, copy / name)
            run(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps",
                "--wheel-dir", place, copy / "tools" / "python", env=environment)
            wheels = list(pathlib.Path(place).glob("toroid-*.whl"))
            self.assertEqual(len(wheels), 1)
            venv = pathlib.Path(place) / "venv"
            run(sys.executable, "-m", "venv", "--system-site-packages", venv)
            python = venv / "bin" / "python"
            run(python, "-m", "pip", "install", "--no-deps", wheels[0], env=environment)
            printed = run(python, "-c", PROGRAM, env=environment, cwd=place)
            self.assertIn(str(venv), printed)


if __name__ == "__main__":
    unittest.main()
