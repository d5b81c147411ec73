"""Files that other tools write, against NumPy and mrcfile: every array of the installed packages (in the thorough
set), and maps of every mode. They are read as they are, or refused with one line."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

try:
    import mrcfile
except ImportError:
    mrcfile = None

from helpers import COMMAND

THOROUGH = os.environ.get("TOROID_THOROUGH", "0") not in ("", "0")
MODES = {0: np.int8, 1: np.int16, 2: np.float32, 4: np.complex64, 6: np.uint16, 12: np.float16}


def redistributed(source, target):
    return subprocess.run([COMMAND, "redistribute", "--in", source, "--torus", "2", "--from", "slabs:x", "--to", "slabs:x",
                           "--out", target, "--quiet"], capture_output=True, text=True)


def arrays_of(file):
    """Names as toroid takes them, and the arrays that NumPy reads."""
    loaded = np.load(file, allow_pickle=True, encoding="latin1")
    if isinstance(loaded, np.ndarray):
        yield str(file), loaded
    else:
        for name in loaded.files:
            yield f"{file}:{name}", loaded[name]


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @unittest.skipUnless(THOROUGH, "only in the thorough set (TOROID_THOROUGH=1)")
    def test_arrays_of_installed_packages_keep_their_bits_or_are_refused_in_one_line(self):
        packages = pathlib.Path(np.__file__).parents[1]
        files = [file for root in (packages, pathlib.Path("/usr/share/matplotlib")) for kind in ("npy", "npz")
                 for file in root.rglob(f"*.{kind}")]
        self.assertGreater(len(files), 0)
        for file in files:
            for name, array in arrays_of(file):
                out = self.folder / "out.npy"
                done = redistributed(name, out)
                with self.subTest(array=name):
                    if done.returncode == 0:
                        ours = np.load(out)
                        self.assertEqual((ours.shape, ours.dtype), (array.shape, array.dtype))
                        self.assertEqual(ours.tobytes(), np.ascontiguousarray(array).tobytes())
                        continue
                    self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                    self.assertTrue(array.ndim == 0 or array.ndim > 6 or array.size == 0 or array.dtype.kind not in "biufc",
                                    done.stderr)

    @unittest.skipIf(mrcfile is None, "mrcfile is not installed (python3-mrcfile)")
    def test_maps_of_every_mode_order_and_kind_are_read_as_mrcfile_reads_them(self):
        random = np.random.default_rng(1)
        written = 0
        for mode, kind in MODES.items():
            for order in "<>":
                for header in (b"", b"x" * 80):
                    for stack in (False, True):
                        values = random.standard_normal((6, 5, 4)) * 20
                        values = values + 1j * values[::-1] if mode == 4 else abs(values)
                        file = self.folder / "map.mrc"
                        with mrcfile.new(file, overwrite=True) as made:
                            made.set_data(values.astype(np.dtype(kind).newbyteorder(order)))
                            if stack and mode != 4:  # mrcfile has no stacks of complex numbers
                                made.set_image_stack()
                            if header:
                                made.set_extended_header(np.array(header, dtype="V80"))
                        with self.subTest(mode=mode, order=order, header=len(header), stack=stack):
                            out = self.folder / "out.npy"
                            done = redistributed(file, out)
                            self.assertEqual((done.returncode, done.stderr), (0, ""))
                            with mrcfile.open(file) as read:
                                np.testing.assert_array_equal(np.load(out), read.data)
                            written += 1
        self.assertEqual(written, 48)

    @unittest.skipIf(mrcfile is None, "mrcfile is not installed (python3-mrcfile)")
    def test_maps_that_are_written_are_valid_and_keep_their_voxels(self):
        file, out = self.folder / "in.mrc", self.folder / "out.map"
        values = np.random.default_rng(2).standard_normal((6, 5, 4)).astype(np.float32)
        with mrcfile.new(file) as made:
            made.set_data(values)
            made.voxel_size = (1.5, 2, 2.5)
        self.assertEqual(redistributed(file, out).returncode, 0)
        with open(os.devnull, "w") as nowhere:
            self.assertTrue(mrcfile.validate(out, print_file=nowhere))
        with mrcfile.open(out) as read:
            np.testing.assert_array_equal(read.data, values)
            self.assertEqual([float(read.voxel_size[axis]) for axis in "xyz"], [1.5, 2, 2.5])


if __name__ == "__main__":
    unittest.main()
