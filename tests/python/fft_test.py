import pickle
import tracemalloc
import unittest

import numpy as np

import toroid

TYPES = (np.complex128, np.float64, np.complex64, np.float32, np.int32, ">f8", bool)


def layouts(array):
    """The same numbers, laid out in several ways."""
    yield "C", array
    yield "Fortran", np.asfortranarray(array)
    yield "backwards", array[::-1].copy()[::-1]
    yield "every second", np.repeat(array, 2, axis=-1)[..., ::2]
    yield "transposed", array.T.copy().T


class Fft(unittest.TestCase):
    def agrees(self, array, inverse=False, **options):
        ours = toroid.fft(array, inverse=inverse, **options)
        in_double = array.astype(np.result_type(array, np.float64))  # NumPy 2 keeps single precision
        theirs = (np.fft.ifftn if inverse else np.fft.fftn)(in_double)
        self.assertEqual(ours.shape, theirs.shape)
        self.assertEqual(ours.dtype, np.complex128)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13 * max(1, abs(theirs).max()) * 10)

    def agrees_or_is_refused(self, array, **options):
        """Return False if the method cannot transform this array on this torus."""
        try:
            self.agrees(array, **options)
        except toroid.BadInput:
            return False
        return True

    def test_an_unpickled_array_has_the_same_transform(self):
        array = np.random.default_rng(1).random((8, 8))
        again = pickle.loads(pickle.dumps(array))
        np.testing.assert_array_equal(toroid.fft(again, torus="2x2"),
                                      toroid.fft(array, torus="2x2"))

    def test_equals_numpy_on_forty_random_shapes_types_and_layouts(self):
        random = np.random.default_rng(15)
        alone = 0
        for number in range(40):
            dims = (3, 2, 3, 4, 3, 1, 3, 5)[number % 8]
            least = 1 if number % 10 == 0 else 4
            shape = tuple(int(n) for n in random.integers(least, 13 if dims < 4 else 6, size=dims))
            values = random.standard_normal(shape) * 8 + 1j * random.standard_normal(shape)
            kind = np.dtype(TYPES[number % len(TYPES)])
            if kind.kind != "c":
                values = values.real
            name, array = list(layouts(values.astype(kind)))[number % 5]
            fabric = ("sim", "shm")[number % 2]
            method = ("volumetric", "rows", "slab")[number % 3] if dims == 3 else "rows"
            torus = ("2x2", "3", "2x2x1")[number // 2 % 3]
            with self.subTest(shape=shape, type=kind, layout=name, fabric=fabric, method=method,
                              torus=torus):
                inverse = number % 4 == 3
                if not self.agrees_or_is_refused(array, torus=torus, method=method, fabric=fabric,
                                                 inverse=inverse):
                    self.agrees(array, torus="1", method="rows", fabric=fabric,
                                inverse=inverse)  # a single node can transform every shape
                    alone += 1
        self.assertLess(alone, 20)

    def test_equals_numpy_by_every_method(self):
        array = np.random.default_rng(1).random((8, 8, 8))
        for method in ("volumetric", "slab", "orbital", "rows"):
            for fabric in ("sim", "shm"):
                with self.subTest(method=method, fabric=fabric):
                    self.agrees(array, torus="2x2x2", method=method, fabric=fabric)

    def test_scales_as_numpy(self):
        array = np.random.default_rng(2).random((4, 6))
        for norm in (None, "backward", "ortho", "forward"):
            np.testing.assert_allclose(toroid.fft(array, torus="2", norm=norm),
                                       np.fft.fftn(array, norm=norm), atol=1e-12)
            np.testing.assert_allclose(toroid.fft(array, torus="2", norm=norm, inverse=True),
                                       np.fft.ifftn(array, norm=norm), atol=1e-12)

    def test_does_not_change_its_input(self):
        array = np.random.default_rng(3).random((8, 8)).astype(complex)
        array.flags.writeable = False
        before = array.copy()
        toroid.fft(array, torus="2x2")
        np.testing.assert_array_equal(array, before)

    def test_full_output_includes_the_result(self):
        result = toroid.fft(np.ones((8, 8)), torus="2x2", full_output=True)[1]
        self.assertEqual(result.verb, "fft")
        self.assertEqual(result.size, [8, 8])
        self.assertEqual(len(result.phase_times), len(result.phases))
        self.assertTrue((result.phase_times > 0).all())
        self.assertEqual(result.link_loads.shape, (4, 4))

    def test_refuses_arrays_that_cannot_be_transformed(self):
        with self.assertRaisesRegex(toroid.BadInput, "expected 1 to 6"):
            toroid.fft(np.float64(3), torus="2")
        with self.assertRaisesRegex(toroid.BadInput, "no elements"):
            toroid.fft(np.ones((4, 0)), torus="2")
        with self.assertRaisesRegex(toroid.BadInput, "cannot be transformed"):
            toroid.fft(np.array(["a", "b"]), torus="2")
        with self.assertRaisesRegex(ValueError, "--planes: '-5' is not a whole number"):
            toroid.fft(np.ones((4, 4, 4)), torus="2", method="slab", planes=-5)
        with self.assertRaisesRegex(toroid.BadInput, "norm 'orhto'"):
            toroid.fft(np.ones((4, 4)), torus="2", norm="orhto")

    def test_does_not_copy_native_floating_point_input(self):
        array = np.ones((32, 32, 32), complex)

        def allocated(make):
            """Return the peak of the memory that NumPy allocates, in bytes; the result of the transform is not part of it."""
            tracemalloc.start()
            try:
                toroid.fft(make(), torus="2x2x2", fabric="shm", threads=1)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

        allocated(lambda: array)  # the first call also loads modules
        self.assertGreater(allocated(array.copy), array.nbytes)
        for make in (lambda: array, lambda: array.T, lambda: array[::-1]):
            self.assertLess(allocated(make), array.nbytes / 4)


if __name__ == "__main__":
    unittest.main()
