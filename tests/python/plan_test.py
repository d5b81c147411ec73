"""toroid.Plan: calls, blocks, several processes, refusals."""

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import toroid

from helpers import COMMAND

# Each process fills its own blocks, transforms, and compares its part of the result with NumPy's.
PROGRAM = """
import os
import numpy as np
import toroid

whole = np.random.default_rng(3).standard_normal((6, 5, 7))
for options in ({}, {"real": True}, {"method": "slab"},
                {"in_boxes": [((0, 0, 0), (1, 5, 7)), ((1, 0, 0), (1, 5, 7)), ((1, 0, 0), (4, 5, 7)), ((4, 0, 0), (6, 5, 7))]}):
    with toroid.Plan((6, 5, 7), torus="4", fabric="ofi", **options) as plan:
        for block in plan.input:
            block.array[...] = whole[block.slices]
        plan.forward()
        expected = (np.fft.rfftn if options.get("real") else np.fft.fftn)(whole)
        for block in plan.output:
            assert np.allclose(block.array, expected[block.slices]), (options, block.rank)
        plan.backward()
        for block in plan.input:
            assert np.allclose(block.array, whole[block.slices]), (options, block.rank)
        print("right", sum(block.array.size for block in plan.output))
"""


class PlanTest(unittest.TestCase):
    def setUp(self):
        self.array = np.random.default_rng(1).standard_normal((6, 5, 8))

    def test_transforms_forward_and_back_as_numpy(self):
        for method in ("volumetric", "slab", "rows"):
            for torus in ("1", "2x2", (2, 1, 2)):
                with self.subTest(method=method, torus=torus):
                    with toroid.Plan((6, 5, 8), torus=torus, method=method) as plan:
                        for _ in range(3):
                            result = plan.forward(self.array)
                            np.testing.assert_allclose(result, np.fft.fftn(self.array), atol=1e-12)
                            np.testing.assert_allclose(plan.backward(result), self.array, atol=1e-13)

    def test_of_real_data_single_precision_batches_and_norms(self):
        arrays = np.random.default_rng(2).standard_normal((3, 6, 5, 8))
        with toroid.Plan((6, 5, 8), torus="2x2", real=True, batch=3, norm="ortho", precision="single") as plan:
            result = plan.forward(arrays)
            self.assertEqual(result.dtype, np.complex64)
            self.assertEqual((plan.input_shape, plan.output_shape), ((3, 6, 5, 8), (3, 6, 5, 5)))
            np.testing.assert_allclose(result, np.fft.rfftn(arrays, axes=(1, 2, 3), norm="ortho"), atol=1e-4)
        with toroid.Plan((6, 5, 8), torus="3", real=True, transform="dct,dst,dht") as plan:
            np.testing.assert_allclose(plan.backward(plan.forward(self.array)), self.array, atol=1e-13)

    def test_blocks_are_the_nodes_memory_and_cover_the_array(self):
        with toroid.Plan((6, 5, 8), torus="2x2") as plan:
            seen = np.zeros(plan.input_shape, int)
            for block in plan.input:
                seen[block.slices] += 1
                block.array[...] = self.array[block.slices]
            self.assertTrue((seen == 1).all())
            self.assertIsNone(plan.forward())
            for block in plan.output:
                np.testing.assert_allclose(block.array, np.fft.fftn(self.array)[block.slices], atol=1e-12)
        first = plan.output[0]
        self.assertTrue(np.isfinite(first.array).all())  # it outlives close()

    def test_takes_boxes_of_the_users(self):
        boxes = [((0, 0, 0), (2, 5, 8)), ((2, 0, 0), (6, 5, 3)), ((2, 0, 3), (6, 5, 8))]
        with toroid.Plan((6, 5, 8), torus="3", in_boxes=boxes, out_boxes=boxes) as plan:
            self.assertEqual([(b.start, b.stop) for b in plan.output], boxes)
            np.testing.assert_allclose(plan.forward(self.array), np.fft.fftn(self.array), atol=1e-12)

    def test_two_plans_live_side_by_side(self):
        with toroid.Plan((4, 4, 4), torus="2") as one, toroid.Plan((8, 3), torus="2") as other:
            cube, plane = np.ones((4, 4, 4)), np.ones((8, 3))
            for _ in range(20):
                self.assertEqual(one.forward(cube)[0, 0, 0], 64)
                self.assertEqual(other.forward(plane)[0, 0], 24)

    def test_what_cannot_be_is_refused_in_one_line(self):
        for options, words in (({"fabric": "sim"}, "shm or ofi"), ({"method": "orbital"}, "P x P x P"),
                               ({"transform": "dct,dft"}, "2 transforms for an array of 3 axes"),
                               ({"policy": "nosuch"}, "nosuch"), ({"norm": "unit"}, "unit"),
                               ({"in_boxes": [((0, 0), (2, 2))]}, "one per axis")):
            with self.subTest(options=options):
                with self.assertRaisesRegex(toroid.BadInput, words):
                    toroid.Plan((6, 5, 8), torus="2", **options)
        with toroid.Plan((6, 5, 8), torus="2", real=True) as plan:
            for array, words in ((np.ones((6, 5)), "expected"), (self.array * 1j, "float64")):
                with self.assertRaisesRegex(toroid.BadInput, words):
                    plan.forward(array)
        with self.assertRaisesRegex(toroid.BadInput, "closed"):
            plan.forward(self.array)

    def test_each_process_gives_and_gets_its_blocks(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w") as file:
                file.write(PROGRAM)
            for processes in ("1", "2", "4"):
                done = subprocess.run([COMMAND, "launch", "-n", processes, sys.executable, program],
                                      capture_output=True, text=True, timeout=120)
                with self.subTest(processes=processes):
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    sizes = [int(line.split()[-1]) for line in done.stdout.splitlines()]
                    self.assertEqual(sum(sizes), 3 * 210 + 6 * 5 * 4)


if __name__ == "__main__":
    unittest.main()
