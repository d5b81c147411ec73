"""Builds the module with the project's CMake and puts it into the wheel. If TOROID_BUILD names a build
folder, its module is used as it is, which takes seconds instead of minutes."""

import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

TOP = pathlib.Path(__file__).resolve().parents[2]


def version():
    return re.search(r'kVersion = "([0-9.]+)"', (TOP / "hal" / "version.hpp").read_text())[1]


class BuildByCMake(build_ext):
    def build_extension(self, extension):
        ready = os.environ.get("TOROID_BUILD")
        build = pathlib.Path(ready or pathlib.Path(self.build_temp) / "toroid").resolve()
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        if not ready:
            subprocess.run(["cmake", "-S", TOP, "-B", build, "-G", "Ninja",
                            "-DCMAKE_BUILD_TYPE=Release", "-DTOROID_TESTS=OFF",
                            "-DTOROID_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
                            f"-DPYTHON_EXECUTABLE={sys.executable}"], check=True)
            subprocess.run(["cmake", "--build", build, "--target", "toroid_python"], check=True)
        target.mkdir(parents=True, exist_ok=True)
        name = f"_toroid{self.get_ext_filename('x')[1:]}"
        self.copy_file(str(build / "python" / "toroid" / name), str(target / name))


setup(
    version=version(),
    ext_modules=[Extension("toroid._toroid", sources=[])],
    cmdclass={"build_ext": BuildByCMake},
)
