import pathlib
import tempfile
import unittest

import numpy as np

import helpers
import toroid

BOUNDARIES = ("periodic", "dirichlet", "neumann")


def basis(boundary, n, length):
    """The eigenfunctions of -d2/dx2 as columns, orthonormal, and their eigenvalues."""
    i = np.arange(n)
    if boundary == "periodic":
        waves = np.fft.fftfreq(n, 1 / n)
        return np.exp(2j * np.pi * np.outer(i, waves) / n) / np.sqrt(n), (2 * np.pi * waves / length) ** 2
    k = i + 1 if boundary == "dirichlet" else i
    shape = np.sin if boundary == "dirichlet" else np.cos
    functions = shape(np.pi * np.outer(i + 0.5, k) / n)
    return functions / np.linalg.norm(functions, axis=0), (np.pi * k / length) ** 2


def solved(rho, cell, boundary):
    """phi by products with matrices."""
    bases = [basis(boundary, n, length) for n, length in zip(rho.shape, cell)]
    (x, a), (y, b), (z, c) = bases
    coefficients = np.einsum("xyz,xi,yj,zk->ijk", rho, x.conj(), y.conj(), z.conj())
    squares = a[:, None, None] + b[:, None] + c
    coefficients = np.where(squares > 0, coefficients / np.where(squares > 0, squares, 1), 0)
    return np.einsum("ijk,xi,yj,zk->xyz", coefficients, x, y, z).real


class Poisson(unittest.TestCase):
    def agrees(self, rho, cell, boundary, **options):
        phi = toroid.poisson(rho, cell=cell, boundary=boundary, **options)
        expected = solved(np.asarray(rho, float), cell, boundary)
        self.assertEqual(phi.dtype, np.float64)
        self.assertTrue(phi.flags.c_contiguous)
        np.testing.assert_allclose(phi, expected, rtol=0, atol=1e-13 * abs(expected).max())

    def test_equals_numpy_for_every_boundary_and_method(self):
        random = np.random.default_rng(1)
        for boundary in BOUNDARIES:
            for number, shape in enumerate(((4, 6, 8), (5, 4, 7), (3, 8, 2))):
                rho = random.standard_normal(shape)
                rho -= rho.mean()
                for torus, method in (("2x1x2", "volumetric"), ("2", "slab"), ("3", "rows")):
                    with self.subTest(boundary=boundary, shape=shape, method=method):
                        self.agrees(rho, (1, 2.5, 0.5), boundary, torus=torus, method=method,
                                    fabric=("sim", "shm")[number % 2])

    def test_takes_every_type_and_layout(self):
        rho = np.arange(60).reshape(3, 4, 5) % 7 - 3
        rho[0, 0, 0] -= rho.sum()
        for array in (rho, rho.tolist(), np.asfortranarray(rho.astype(float)), rho.astype(">f8"),
                      rho.astype(np.float32)[::-1], rho.astype(complex)):
            self.agrees(np.real(array), (3, 4, 5), "periodic", torus="2")

    def test_box_has_the_numbers_of_points_by_default(self):
        rho = np.random.default_rng(2).standard_normal((3, 4, 5))
        np.testing.assert_array_equal(toroid.poisson(rho, boundary="dirichlet"),
                                      toroid.poisson(rho, (3, 4, 5), "dirichlet"))
        np.testing.assert_array_equal(toroid.poisson(rho, 2, "dirichlet"),
                                      toroid.poisson(rho, np.array([2, 2, 2]), "dirichlet"))

    def test_full_output_includes_the_result(self):
        rho = np.random.default_rng(3).standard_normal((4, 4, 4))
        phi, result = toroid.poisson(rho, 1, "dirichlet", torus="2x2", check=True, full_output=True)
        self.assertEqual(phi.shape, rho.shape)
        self.assertEqual((result.verb, result.boundary, result.cell), ("poisson", "dirichlet", [1, 1, 1]))
        self.assertLess(result.l2_error, 1e-13)

    def test_equals_the_command(self):
        rho = np.random.default_rng(4).standard_normal((4, 5, 6))
        phi, result = toroid.poisson(rho, (1, 2, 3), "dirichlet", torus="2x2", full_output=True)
        with tempfile.TemporaryDirectory() as folder:
            files = [str(pathlib.Path(folder) / name) for name in ("rho.npy", "phi.npy")]
            np.save(files[0], rho)
            command = helpers.command_json("poisson", "--in", files[0], "--out", files[1], "--cell", "1,2,3",
                                           "--boundary", "dirichlet", "--torus", "2x2")
            np.testing.assert_array_equal(np.load(files[1]), phi)
        self.assertEqual(command["result_hash"], result.result_hash)

    def test_refuses_what_it_cannot_solve(self):
        rho = np.ones((4, 4, 4))
        for call, why in (
            (lambda: toroid.poisson(np.ones((4, 4))), "the density: has 2 dimensions; expected 3"),
            (lambda: toroid.poisson(rho * 1j), "the density: element 0 in C order is not real"),
            (lambda: toroid.poisson(rho * np.nan), "the density: element 0 in C order is not finite"),
            (lambda: toroid.poisson(rho, cell=(1, 1)), "expected three lengths"),
            (lambda: toroid.poisson(rho, cell=(1, 0, 1)), "is not a length"),
            (lambda: toroid.poisson(rho, cell=[[1, 1, 1]]), "expected three lengths"),
            (lambda: toroid.poisson(rho, cell="1,x,1"), "'x' is not a length"),
            (lambda: toroid.poisson(rho, cell=[[1, 1], 1]), "expected three lengths"),
            (lambda: toroid.poisson(rho, cell=(1, 1, "x")), "expected three lengths"),
            (lambda: toroid.poisson(rho, cell=(1, 1, None)), "expected three lengths"),
            (lambda: toroid.poisson(rho, cell=True), "expected three lengths"),
            (lambda: toroid.poisson(rho, boundary="open"), "boundary 'open'"),
            (lambda: toroid.poisson(rho, boundary=None), "boundary None: expected"),
            (lambda: toroid.poisson(rho, boundary=True), "boundary True: expected"),
            (lambda: toroid.poisson(rho, boundary=3), "boundary 3: expected"),
            (lambda: toroid.poisson(rho, torus="2x2", method="orbital"), "P x P x P"),
        ):
            with self.subTest(why=why), self.assertRaisesRegex(toroid.BadInput, why):
                call()


if __name__ == "__main__":
    unittest.main()
