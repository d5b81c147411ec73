"""The Spack recipe is valid Python and names all dependencies of the build. Spack itself is replaced by
functions that record their calls."""

import contextlib
import pathlib
import re
import sys
import types
import unittest

SOURCE = pathlib.Path(__file__).parent.parent.parent
# Packages that the build looks for, and their names in Spack.
NAMES = {
    "Boost": "boost", "CLI11": "cli11", "EIGEN": "eigen", "FABRIC": "libfabric", "FFTW3": "fftw", "FFTW3F": "fftw", "GTest": "googletest",
    "HWLOC": "hwloc", "ISAL": "isa-l", "OPENBLAS": "openblas", "OpenSSL": "openssl", "PMIX": "pmix",
    "PkgConfig": "pkgconfig", "Python3": "python", "SODIUM": "libsodium", "Threads": None, "ZIP": "libzip", "ZLIB": "zlib",
    "fmt": "fmt", "nlohmann_json": "nlohmann-json",
}


class Recorder:
    """Replaces Spack's directives and records their arguments."""

    def __init__(self):
        self.condition = None
        self.dependencies = {}  # name -> condition
        self.variants = set()

    @contextlib.contextmanager
    def when(self, condition):
        self.condition = condition
        yield
        self.condition = None

    def depends_on(self, spec, when=None, **_):
        self.dependencies[re.match(r"[\w-]+", spec).group()] = when or self.condition

    def variant(self, name, **_):
        self.variants.add(name)

    def module(self):
        module = types.ModuleType("spack.package")
        for name in ("license", "version", "generator", "conflicts"):
            setattr(module, name, lambda *_, **__: None)
        for name in ("when", "depends_on", "variant"):
            setattr(module, name, getattr(self, name))
        module.CMakePackage = type("CMakePackage", (), {
            "define_from_variant": staticmethod(lambda option, variant: (option, variant))})
        return module


def recipe():
    recorder = Recorder()
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = recorder.module()
    path = SOURCE / "tools/packaging/spack/package.py"
    scope = {"__name__": "recipe"}
    exec(compile(path.read_text(), path, "exec"), scope)
    return recorder, scope["Toroid"]()


def cmake_files():
    return [SOURCE / "CMakeLists.txt", SOURCE / "tools/CMakeLists.txt", SOURCE / "tests/CMakeLists.txt",
            SOURCE / "tools/cmake/ofi.cmake"]


class Spack(unittest.TestCase):
    def test_recipe_names_all_packages_that_the_build_looks_for(self):
        recorder, _ = recipe()
        text = "".join(path.read_text() for path in cmake_files())
        found = set(re.findall(r"(?:find_package|pkg_check_modules)\((\w+)", text))
        self.assertGreaterEqual(len(found), 15)
        for name in found:
            self.assertIn(name, NAMES)
            if NAMES[name]:
                self.assertIn(NAMES[name], recorder.dependencies)
        self.assertIn("tomlplusplus", recorder.dependencies)  # headers only: the build does not look for it

    def test_recipe_needs_five_libraries_for_ofi_only(self):
        recorder, _ = recipe()
        of_ofi = {name for name, condition in recorder.dependencies.items() if condition == "+ofi"}
        self.assertEqual(of_ofi, {"asio", "libfabric", "pmix", "isa-l", "openssl"})

    def test_recipe_needs_fftw_for_its_variant_only(self):
        recorder, _ = recipe()
        self.assertEqual(recorder.dependencies["fftw"], "+fftw")
        self.assertIsNone(recorder.dependencies["eigen"])

    def test_recipe_sets_only_options_of_the_build(self):
        recorder, package = recipe()
        text = "".join(path.read_text() for path in cmake_files())
        for option, variant in package.cmake_args():
            self.assertRegex(text, rf"(?:option|set)\({option} ")
            self.assertIn(variant, recorder.variants)


if __name__ == "__main__":
    unittest.main()
