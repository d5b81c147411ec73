"""toroid for Spack, from a checkout: put this file into packages/toroid/ of your own repository
(`spack repo create`), then run `spack dev-build --dev-path CHECKOUT toroid@main`."""

from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class Toroid(CMakePackage):
    """Message layer on an emulated Blue Gene-style torus: a deterministic packet-level model, rings
    between emulated nodes of one workstation, and libfabric between hosts. It includes distributed
    Fourier transforms and a command to validate packet scheduling policies."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("fftw", default=True, description="Line transforms by FFTW (GPL), in addition to KissFFT")
    variant("ofi", default=True, description="Build ofi, the fabric between processes")
    variant("tests", default=False, description="Build the tests")

    generator("ninja")

    depends_on("cxx", type="build")
    depends_on("cmake@3.23:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("boost@1.74:", type="build")
    depends_on("cli11@2:")
    depends_on("eigen@3.3:", type="build")
    depends_on("fftw@3.3: precision=double,float", when="+fftw")
    depends_on("fmt@9:")
    depends_on("hwloc@2:")
    depends_on("libsodium")
    depends_on("libzip")
    depends_on("nlohmann-json@3.11:")
    depends_on("openblas")
    depends_on("tomlplusplus@3:")
    depends_on("zlib")

    with when("+ofi"):
        depends_on("asio@1.22:", type="build")
        depends_on("isa-l")
        depends_on("libfabric@1.15:")
        depends_on("openssl@3:")
        depends_on("pmix@4:")

    with when("+tests"):
        depends_on("googletest@1.12: +gmock", type=("build", "test"))
        depends_on("python@3.9:", type=("build", "test"))

    conflicts("%gcc@:11", msg="toroid needs the coroutines of g++ 12 or later")
    conflicts("%clang@:15", msg="toroid needs clang 16 or later")

    def cmake_args(self):
        return [
            self.define_from_variant("TOROID_FFTW", "fftw"),
            self.define_from_variant("TOROID_OFI", "ofi"),
            self.define_from_variant("TOROID_TESTS", "tests"),
        ]

    def setup_run_environment(self, env):
        # The command loads OpenBLAS and libfabric by name when a run needs them.
        env.prepend_path("LD_LIBRARY_PATH", self.spec["openblas"].prefix.lib)
        if self.spec.satisfies("+ofi"):
            env.prepend_path("LD_LIBRARY_PATH", self.spec["libfabric"].prefix.lib)
