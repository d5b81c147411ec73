"""toroid.fft against scipy.fft: random shapes, axes, types, norms, layouts, fabrics and machines."""

import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    import scipy.fft
except ImportError:
    scipy = None

import toroid

from helpers import COMMAND

THOROUGH = os.environ.get("TOROID_THOROUGH", "0") not in ("", "0")
NAMES = ("fftn", "ifftn", "rfftn", "irfftn", "dctn", "idctn", "dstn", "idstn", "fft", "ifft", "rfft", "irfft", "dct",
         "idct", "dst", "idst", "fft2", "ifft2", "rfft2", "irfft2")
TYPES = (np.complex128, np.float64, np.complex64, np.float32, np.int16, ">f8", "<c8", bool, np.float16)
NORMS = (None, "backward", "ortho", "forward")
TORI = ("1", "2", "3x2", "2x2x2", "4", "2x1x3")


def laid_out(array, number):
    """The same numbers in one of several layouts."""
    if number == 0:
        return array
    if number == 1:
        return np.asfortranarray(array)
    if number == 2:
        return array[::-1].copy()[::-1]
    if number == 3:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return array.T.copy().T


class Trial:
    """One random call."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.name = self.draw(NAMES)
        dims = int(self.random.integers(2 if self.name.endswith("2") else 1, 5))
        shape = tuple(int(n) for n in self.random.integers(1, 13 if dims < 4 else 6, size=dims))
        values = self.random.standard_normal(shape) * 8 + 1j * self.random.standard_normal(shape)
        kind = np.dtype(self.draw(TYPES))
        if kind.kind != "c" or self.name in ("rfftn", "rfft", "rfft2"):
            values = values.real
            kind = kind if kind.kind != "c" else np.dtype(np.float64)
        self.array = laid_out(values.astype(kind), int(self.random.integers(5)))
        self.options = {"norm": self.draw(NORMS)}
        if self.name.endswith("n"):
            self.draw_axes(dims)
        elif not self.name.endswith("2"):
            self.options["axis"] = int(self.random.integers(-dims, dims))
            if self.random.integers(2):
                self.options["n"] = int(self.random.integers(1, 12))
        if "dct" in self.name or "dst" in self.name:
            self.options["type"] = int(self.draw((2, 3)))
        self.run = {"torus": self.draw(TORI), "fabric": self.draw(("sim", "shm")), "seed": seed}
        if self.random.integers(4) == 0:
            self.run["kernel"] = "kissfft"

    def draw(self, values):
        return values[int(self.random.integers(len(values)))]

    def draw_axes(self, dims):
        count = int(self.random.integers(1, dims + 1))
        axes = tuple(int(a) for a in self.random.permutation(dims)[:count])
        if self.random.integers(3):
            self.options["axes"] = axes
        if self.random.integers(2):
            count = count if "axes" in self.options else int(self.random.integers(1, dims + 1))
            self.options["s"] = tuple(int(n) for n in self.random.integers(1, 9, size=count))

    def __str__(self):
        return f"{self.name} {self.array.shape} {self.array.dtype} {self.options} {self.run}"


def orthonormal_dst(array, transposed, s=None, axes=None):
    """The dst with orthonormal matrices, by definition. scipy gives the weight to the first frequency, whose row is
    as long as the others, instead of to the last one, so that its matrices are not orthonormal."""
    if axes is None:
        axes = range(-(array.ndim if s is None else len(s)), 0)
    array = array.astype(np.result_type(array, np.float64))
    for number, axis in enumerate(axes):
        n = array.shape[axis] if s is None else s[number]
        line = np.moveaxis(array, axis, -1)[..., :n]
        line = np.pad(line, [(0, 0)] * (array.ndim - 1) + [(0, n - line.shape[-1])])
        matrix = np.sqrt(2 / n) * np.sin(np.pi / n * np.outer(np.arange(1, n + 1), np.arange(n) + 0.5))
        matrix[-1] /= np.sqrt(2)
        array = np.moveaxis(line @ (matrix if transposed else matrix.T), -1, axis)
    return array


def expected(trial):
    options = dict(trial.options)
    halves = trial.name in ("irfftn", "irfft2") and "s" not in options
    if halves and trial.array.shape[options.get("axes", (-1,))[-1]] == 1:
        raise ValueError("scipy.fft.irfft refuses this: no points; irfftn does not")
    theirs = getattr(scipy.fft, trial.name)(trial.array, **options)
    if "dst" not in trial.name or options.pop("norm") != "ortho":
        return theirs
    transposed = (options.pop("type") == 3) != trial.name.startswith("i")
    if not trial.name.endswith("n"):
        options = {"axes": (options["axis"],), "s": (options["n"],) if "n" in options else None}
    return orthonormal_dst(trial.array, transposed, **options).astype(theirs.dtype)


# Each process of a job makes the same calls; process 0 has the results.
PROGRAM = """
import os
import numpy as np
import toroid

a = np.arange(64.0).reshape(8, 8)
options = {"torus": "2x2", "fabric": "ofi", "plan": "estimate"}
made = [toroid.fft(a, **options), toroid.fft.rfftn(a, **options), toroid.fft.ifft(a, full_output=True, **options)]
if os.environ["RANK"] == "0":
    assert np.allclose(made[0], np.fft.fftn(a)) and np.allclose(made[1], np.fft.rfftn(a)), made
    assert np.allclose(made[2][0], np.fft.ifft(a)) and made[2][1].verb == "fft", made
else:
    assert made == [None, None, None], made
"""


def result_of(function, *words, **options):
    try:
        return function(*words, **options)
    except (ValueError, toroid.BadInput) as refusal:
        return refusal


@unittest.skipIf(scipy is None, "scipy is not installed (python3-scipy)")
class Scipy(unittest.TestCase):
    def test_random_calls_give_what_scipy_gives(self):
        refused = 0
        count = 5000 if THOROUGH else 200
        for seed in range(count):
            trial = Trial(seed)
            theirs = result_of(expected, trial)
            ours = result_of(getattr(toroid.fft, trial.name), trial.array, **trial.options, **trial.run)
            with self.subTest(seed=seed, call=str(trial)):
                if isinstance(theirs, ValueError) or theirs.size == 0:
                    self.assertIsInstance(ours, ValueError)
                    refused += 1
                    continue
                if isinstance(ours, toroid.BadInput):  # the method does not fit this array on this torus
                    trial.run.update(torus="1", method="rows")
                    ours = getattr(toroid.fft, trial.name)(trial.array, **trial.options, **trial.run)
                    refused += 1
                self.assertEqual(ours.shape, theirs.shape)
                self.assertEqual(ours.dtype, theirs.dtype)
                single = ours.dtype in (np.float32, np.complex64)
                scale = np.linalg.norm(theirs) or 1
                self.assertLess(np.linalg.norm(ours - theirs), (1e-5 if single else 1e-13) * scale)
        self.assertLess(refused, count / 3)

    def test_convolutions_give_what_scipy_gives(self):
        import scipy.ndimage
        import scipy.signal
        random = np.random.default_rng(4)
        for dims in (1, 2, 3):
            for mode in ("full", "same", "valid"):
                a = random.standard_normal(tuple(random.integers(5, 9, dims)))
                kernel = random.standard_normal(tuple(random.integers(1, 5, dims)))
                for given in (a, a * (1 + 2j)):
                    with self.subTest(shape=a.shape, kernel=kernel.shape, mode=mode, type=given.dtype):
                        np.testing.assert_allclose(toroid.convolve(given, kernel, mode, torus="2", method="rows"),
                                                   scipy.signal.fftconvolve(given, kernel, mode), atol=1e-12)
            centre = tuple((k - 1) // 2 - k // 2 for k in kernel.shape)
            np.testing.assert_allclose(toroid.convolve(a, kernel, "wrap", torus="2", method="rows"),
                                       scipy.ndimage.convolve(a, kernel, mode="wrap", origin=centre), atol=1e-12)

    def test_convolutions_have_the_common_type(self):
        import scipy.signal
        random = np.random.default_rng(5)
        a, b = random.standard_normal((6, 5)), random.standard_normal((3, 2))
        for one, other in (("f4", "f4"), ("f4", "f8"), ("f8", "f4"), ("i4", "f4"), ("c8", "f8"), ("f4", "c16"),
                           ("c8", "f4"), (">f4", "f8")):
            given = a.astype(one), b.astype(other)
            ours, theirs = toroid.convolve(*given, torus="2"), scipy.signal.fftconvolve(*given)
            self.assertEqual(ours.dtype, theirs.dtype, (one, other))
            single = {"f4", "c8", ">f4"} & {one, other}  # scipy transforms each array in its own precision
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 if single else 1e-12)

    def test_convolutions_of_empty_arrays_are_empty(self):
        import scipy.signal
        for a, b in (([], []), ([1.0], []), (np.ones((2, 0)), np.ones((1, 1)))):
            ours, theirs = toroid.convolve(a, b, torus="2"), scipy.signal.fftconvolve(a, b)
            self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype))

    def test_valid_convolutions_accept_the_larger_array_second(self):
        import scipy.signal
        small, large = np.arange(6.0).reshape(2, 3), np.arange(35.0).reshape(5, 7)
        for given in ((small, large), (large, small), (small, small)):
            np.testing.assert_allclose(toroid.convolve(*given, "valid", torus="2"),
                                       scipy.signal.fftconvolve(*given, "valid"), atol=1e-10)

    def test_convolutions_know_their_own_options_only(self):
        np.testing.assert_allclose(
            toroid.convolve([1, 2, 3], [1, 1], torus="1", kernel="kissfft", precision="single", seed=3, threads=1),
            [1, 3, 5, 3], atol=1e-6)
        for name in ("norm", "axes", "s", "full_output", "report", "inverse", "a", "b"):
            with self.assertRaisesRegex(TypeError, "convolve"):
                toroid.convolve([1, 2, 3], [1, 1], torus="1", **{name: None})

    def test_what_has_no_convolution_is_refused(self):
        for a, kernel, mode, words in (([1], [[1]], "full", "equal numbers"), (1, 2, "full", "equal numbers"),
                                       ([[1, 2]], [[1], [2]], "valid", "larger"), ([1], [1, 2], "wrap", "larger"),
                                       ([1], [1], "reflect", "expected full")):
            with self.assertRaisesRegex(toroid.BadInput, words):
                toroid.convolve(a, kernel, mode, torus="1")
        with self.assertRaisesRegex(toroid.BadInput, "one process"):
            toroid.convolve([1], [1], torus="1", fabric="ofi")


class Options(unittest.TestCase):
    array = np.arange(24.0).reshape(4, 6)

    def test_names_of_numpy_types_are_precisions(self):
        for names, real, whole in ((("single", "float32", "complex64", "f4", "c8"), "f4", "c8"),
                                   (("double", "float64", "complex128", "f8", "c16"), "f8", "c16")):
            for name in names:
                for array in (self.array, self.array.astype(np.float32), np.empty((0, 4))):
                    for transform, dtype in (("rfft", whole), ("irfft", real), ("fft", whole), ("dct", real)):
                        made = getattr(toroid.fft, transform)(array, torus="1", precision=name)
                        self.assertEqual(made.dtype, dtype, (name, transform))
                result = toroid.fft(self.array, torus="2", precision=name, full_output=True)[1]
                self.assertEqual(result.precision, names[0])
        for call in (toroid.fft, toroid.fft.fftn):
            with self.assertRaisesRegex(toroid.BadInput, "precision 'half' is unknown; expected double"):
                call(self.array, torus="1", precision="half")

    def test_unknown_options_are_refused_in_the_name_of_the_function(self):
        for name in toroid.fft.__all__:
            for option in ("inverse", "half", "kind", "lengths", "workers"):
                with self.assertRaisesRegex(TypeError, rf"^{name}\(\) got an unexpected keyword argument '{option}'"):
                    getattr(toroid.fft, name)(self.array, torus="1", **{option: True})
            with self.assertRaisesRegex(TypeError, rf"^{name}\(\) missing"):
                getattr(toroid.fft, name)(self.array)
        with self.assertRaisesRegex(TypeError, r"^fft\(\) got an unexpected keyword argument 'half'"):
            toroid.fft(self.array, torus="1", half=True)

    def test_the_signature_of_the_module_begins_with_the_array(self):
        self.assertEqual(list(inspect.signature(toroid.fft).parameters)[:2], ["array", "torus"])

    def test_plans_are_measured_or_estimated(self):
        for plan in ("estimate", "measure"):
            for fabric in ("sim", "shm"):
                ours = toroid.fft.fftn(self.array, torus="2", fabric=fabric, plan=plan, kernel="fftw")
                np.testing.assert_allclose(ours, np.fft.fftn(self.array), atol=1e-10)
                np.testing.assert_allclose(toroid.fft(self.array, torus="2", fabric=fabric, plan=plan), ours,
                                           atol=1e-10)
        with self.assertRaisesRegex(toroid.BadInput, "unknown plan 'slow'"):
            toroid.fft.fftn(self.array, torus="2", plan="slow")

    def test_transforms_of_no_arrays_are_empty(self):
        for name, shape in (("fft", (0, 4)), ("ifft", (0, 4)), ("rfft", (0, 4)), ("irfft", (0, 5)), ("dct", (0, 4)),
                            ("fft2", (0, 3, 4)), ("rfft2", (2, 0, 3, 4)), ("irfft2", (0, 3, 4))):
            for dtype in (np.float64, np.float32):
                ours = getattr(toroid.fft, name)(np.empty(shape, dtype), torus="2")
                theirs = getattr(np.fft, name, None)
                expected = theirs(np.empty(shape)).shape if theirs else shape
                is_real = name in ("irfft", "irfft2", "dct")
                wide = np.float64 if is_real else np.complex128
                narrow = np.float32 if is_real else np.complex64
                self.assertEqual((ours.shape, ours.dtype), (expected, narrow if dtype == np.float32 else wide), name)
        with self.assertRaisesRegex(toroid.BadInput, "no run"):
            toroid.fft.fft(np.empty((0, 4)), torus="2", full_output=True)

    def test_axes_and_lengths_may_be_single_numbers(self):
        for options in ({"axes": 0}, {"s": 3}, {"axes": 0, "s": 3}, {"axes": np.int64(-2), "s": np.int64(7)}):
            plain = {name: (int(value),) for name, value in options.items()}
            np.testing.assert_allclose(toroid.fft.fftn(self.array, torus="1", **options),
                                       np.fft.fftn(self.array, **{"axes": (-1,), **plain}), atol=1e-10)
        for options in ({"axes": 1.5}, {"s": "3"}, {"axes": (0.0, 1)}):
            with self.assertRaisesRegex(toroid.BadInput, "whole number"):
                toroid.fft.fftn(self.array, torus="1", **options)

    def test_no_axes_give_a_copy(self):
        for name in ("fftn", "ifftn", "dctn", "idstn"):
            made = getattr(toroid.fft, name)(self.array, axes=(), torus="1")
            np.testing.assert_array_equal(made, self.array)
            self.assertFalse(np.shares_memory(made, self.array))
        for name in ("rfftn", "irfftn"):  # scipy refuses it too
            with self.assertRaisesRegex(toroid.BadInput, "no axes"):
                getattr(toroid.fft, name)(self.array, axes=(), torus="1")
        with self.assertRaisesRegex(toroid.BadInput, "a single number; expected an array"):
            toroid.fft.fftn(3.0, torus="1")

    def test_types_1_and_4_are_refused(self):
        for number in (1, 4):
            with self.assertRaisesRegex(toroid.BadInput, "expected 2 or 3"):
                toroid.fft.dct(self.array, number, torus="1")

    def test_long_double_is_computed_in_double_precision(self):
        made = toroid.fft.fft(self.array.astype(np.longdouble), torus="1")
        self.assertEqual(made.dtype, np.complex128)

    def test_single_precision_refuses_what_it_does_not_hold(self):
        large, small = self.array.copy(), self.array * 1e-60
        large[1, 2] = -1e39
        for call in (toroid.fft, toroid.fft.fftn, toroid.fft.rfftn, toroid.fft.dctn):
            with self.assertRaisesRegex(toroid.BadInput, "the array.*: element 8 in C order is too large for single"):
                call(large, torus="1", precision="single")
            with self.assertRaisesRegex(toroid.BadInput, "the array.*: all numbers are too small for single precision"):
                call(small, torus="1", precision="single")
        toroid.fft.fftn(self.array, torus="1", precision="single")
        toroid.fft.fftn(np.float32(1e-45) * np.ones((4, 4), np.float32), torus="1")  # single precision holds it

    def test_a_warning_names_nan_and_infinity_of_the_input(self):
        program = """
import numpy as np, toroid
for value in (np.nan, np.inf):
    for dtype in (np.float64, np.float32):
        a = np.ones((4, 6), dtype)
        a[1, 2] = value
        b = toroid.fft.fftn(a, torus="1")
        assert not np.isfinite(b).any() and not np.isfinite(toroid.fft(a, torus="1", precision="single")).any()
assert not np.isfinite(toroid.fft(np.full((4, 4), 1e308), torus="1")).all()
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 9, lines)
        for line in lines[:-1]:
            self.assertIn("the input has NaN or infinity: element 8 in C order of the array", line)
        self.assertIn("exceed the largest of double precision", lines[-1])

    def test_process_0_returns_the_result(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w") as file:
                file.write(PROGRAM)
            done = subprocess.run([COMMAND, "launch", "-n", "2", sys.executable, program], capture_output=True,
                                  text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
