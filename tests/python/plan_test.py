"""toroid.Plan: calls, blocks, several processes, refusals."""

import os
import pathlib
import re
import signal
import threading
import unittest

import numpy as np

import toroid

from helpers import has_ofi, launch, run_program

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
        size = sum(block.array.size for block in plan.output)
        print(f"right {size}\\n", end="")  # one write: the lines of processes do not mix
"""

# A plan in a function, after another one.
FUNCTION_SCOPE = """
import numpy as np
import toroid

def transform(value):
    plan = toroid.Plan((4, 4, 4), torus="4", fabric="ofi")
    for block in plan.input:
        block.array[...] = value
    plan.forward()
    return [block.array[0, 0, 0].real for block in plan.output if block.start == (0, 0, 0)]

for value in (1, 2, 3):
    assert transform(value) in ([], [64 * value])
plan = toroid.Plan((4, 4, 4), torus="4", fabric="ofi")
for other in (lambda: toroid.Plan((4, 4, 4), torus="4", fabric="ofi"), lambda: toroid.run("2x2", fabric="ofi")):
    try:
        other()
    except toroid.BadInput as error:
        assert str(error) == "a plan on ofi is open; close it first", error
    else:
        assert False
plan.forward()
plan.close()
print("right\\n", end="")
"""

# One process raises an exception; the other one must not wait for it for ever. Each writes its traceback at once, so
# that the lines of processes do not mix.
ONE_FAILS = """
import io, os, sys
import toroid

sys.stderr = io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w", closefd=False)))

with toroid.Plan((4, 4, 4), torus="4", fabric="ofi") as plan:
    plan.forward()
    if os.environ["RANK"] == "1":
        raise KeyError("mine")
    plan.forward()
"""

# As above, but without a `with` block.
ONE_ENDS = """
import io, os, sys
import toroid

sys.stderr = io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w", closefd=False)))

plan = toroid.Plan((4, 4, 4), torus="4", fabric="ofi")
plan.forward()
if os.environ["RANK"] == "1":
    raise KeyError("mine")
plan.forward()
"""

# Process 0 is interrupted while it waits for process 1 in close().
INTERRUPTED_CLOSE = """
import os, signal, time
import toroid

def handle(*_):
    raise KeyError

signal.signal(signal.SIGALRM, handle)
plan = toroid.Plan((4, 4, 4), torus="4", fabric="ofi")
plan.forward()
failed = None
try:
    if os.environ["RANK"] == "0":
        signal.setitimer(signal.ITIMER_REAL, 0.2)
    else:
        time.sleep(1)
    plan.close()
except (KeyError, toroid.RunFailed) as error:
    failed = type(error).__name__
plan.close()
print(os.environ["RANK"] + " " + str(failed) + "\\n", end="")
"""

DAEMON = """
import threading, time
import numpy as np
import toroid

plan = toroid.Plan((32, 32, 32), torus="2")
array = np.ones((32, 32, 32))
def call_for_ever():
    while True:
        plan.forward(array)
threading.Thread(target=call_for_ever, daemon=True).start()
time.sleep(0.2)
print("end")
"""


class Alarm(Exception):
    pass


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
        class Mine(toroid.Policy):
            pass

        for options, words in (({"fabric": "sim"}, "shm or ofi"), ({"method": "orbital"}, "method 'orbital'"),
                               ({"transform": "dct,dft"}, "2 transforms for an array of 3 axes"),
                               ({"transform": ("dct", "dft")}, "'dct,dft' has 2 transforms for an array of 3 axes; "
                                "expected one, or one per axis"),
                               ({"transform": "fft"}, "transform 'fft' needs the method orbital"),
                               ({"transform": "matrix:M.npy"}, "transform 'matrix:M.npy' needs"),
                               ({"transform": [np.eye(6), "dft", "dft"]}, "a matrix needs the method orbital"),
                               ({"transform": "dctt"}, "did you mean 'dct'"),
                               ({"policy": "nosuch"}, "nosuch"), ({"policy": Mine()}, "policy 'mine' is an object"),
                               ({"planes": 0}, "planes has no effect with method 'volumetric'"),
                               ({"kernel": "kissfft", "plan": "measure"}, "plan 'measure' has no effect"),
                               ({"precision": "half"}, "precision 'half'"), ({"batch": 2**70}, "64 bits"), ({"norm": "unit"}, "unit"),
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

    def test_takes_names_and_numbers_in_several_forms(self):
        for options in ({"transform": ("dct",)}, {"transform": ["dct", "dct", "dct"]}, {"policy": None},
                        {"method": "slab", "planes": np.int64(2)}, {"kernel": "kissfft", "plan": "estimate"}):
            with self.subTest(options=options), toroid.Plan(np.array([6, 5, 8]), torus="2", **options) as plan:
                np.testing.assert_allclose(plan.backward(plan.forward(self.array)), self.array, atol=1e-13)
        for precision, kind in (("float32", np.complex64), ("complex64", np.complex64), ("float64", complex),
                                ("complex128", complex)):
            with toroid.Plan((4, 4), torus="2", precision=precision) as plan:
                self.assertEqual(plan.output[0].array.dtype, kind)
        for options in ({"shape": (4.5, 4)}, {"batch": 1.5}, {"in_boxes": [((0, 0), (4, 4.5))]}):
            with self.assertRaises(TypeError):
                toroid.Plan(**{"shape": (4, 4), "torus": "1", **options})

    def test_says_what_it_is(self):
        with toroid.Plan((6, 5, 8), torus=(2, 1, 2), transform="dct") as plan:
            self.assertEqual(repr(plan), "<toroid.Plan: dct of 6x5x8 on 2x1x2, shm, volumetric>")
            self.assertEqual((plan.shape, plan.torus.extents), ((6, 5, 8), (2, 1, 2)))
        self.assertIn("closed", repr(plan))

    def test_threads_get_the_results_of_their_own_calls(self):
        wrong = []

        def call(value):
            for _ in range(100):
                if plan.forward(np.full((4, 4, 4), value))[0, 0, 0] != 64 * value:
                    wrong.append(value)

        with toroid.Plan((4, 4, 4), torus="2") as plan:
            threads = [threading.Thread(target=call, args=(value,)) for value in (1, 2, 3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_close_in_another_thread_gives_right_results_or_says_closed(self):
        cube = np.ones((16, 16, 16))
        for delay in (0, 0.001, 0.003):
            plan = toroid.Plan((16, 16, 16), torus="2x2", plan="estimate")
            timer = threading.Timer(delay, plan.close)
            timer.start()
            with self.assertRaisesRegex(toroid.BadInput, "the plan is closed"):
                while True:
                    self.assertEqual(plan.forward(cube)[0, 0, 0], 4096)
            timer.join()

    def signalled(self, handler, delay, work):
        """Do some work, during which a signal arrives."""
        before = signal.signal(signal.SIGALRM, handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            work()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @staticmethod
    def alarm(*_):
        raise Alarm()

    def test_signal_ends_making_a_plan(self):
        def make_plans():
            while True:
                toroid.Plan((8, 8, 8), torus="4x4", plan="estimate").close()

        for delay in (0.001, 0.004, 0.02, 0.05):
            with self.subTest(delay=delay), self.assertRaises(Alarm):
                self.signalled(self.alarm, delay, make_plans)
        for delay in (0.01, 0.03, 0.05):  # the nodes take longer than 50 ms to touch their memory
            with self.assertRaises(Alarm):
                self.signalled(self.alarm, delay, lambda: [self.long_plan() for _ in range(10)])
            self.doCleanups()

    def long_plan(self):
        plan = toroid.Plan((128, 128, 128), torus="2", plan="estimate", batch=2)  # a call takes longer than 50 ms
        self.addCleanup(plan.close)
        return plan

    def test_signal_ends_a_call_and_the_plan(self):
        plan = self.long_plan()

        def call():
            while True:
                plan.forward()

        with self.assertRaises(Alarm):
            self.signalled(self.alarm, 0.02, call)
        if not plan._run.is_closed:
            try:
                plan.forward()  # the signal came between two calls
            except toroid.RunFailed as error:
                self.assertEqual(str(error), "the plan was interrupted")

    def test_signal_handler_cannot_call_and_can_close(self):
        plan = self.long_plan()
        refused = []

        def handle(*_):
            if plan._is_calling:
                with self.assertRaisesRegex(toroid.BadInput, "under way in this thread"):
                    plan.forward()
                refused.append(True)
            plan.close()

        def call():
            while True:
                plan.forward()

        with self.assertRaisesRegex((toroid.RunFailed, toroid.BadInput), "closed"):
            self.signalled(handle, 0.02, call)

    def test_forked_process_is_refused_and_may_close(self):
        plan = toroid.Plan((4, 4, 4), torus="2")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                try:
                    plan.forward(np.ones((4, 4, 4)))
                except toroid.BadInput as error:
                    code = 0 if str(error) == "the plan was made before this process was forked" else 2
                plan.close()
                del plan
                with toroid.Plan((4, 4), torus="2") as own:
                    code += own.forward(np.ones((4, 4)))[0, 0] != 16
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(plan.forward(np.ones((4, 4, 4)))[0, 0, 0], 64)
        plan.close()

    def test_forked_process_ends_as_usual(self):
        done = run_program("import os, toroid\nplan = toroid.Plan((4, 4), torus='2')\nchild = os.fork()\n"
                           "if child: print(os.waitpid(child, 0)[1])\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0\n", ""))

    def test_interpreter_ends_while_a_daemon_thread_calls(self):
        done = run_program(DAEMON)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""))

    def test_exit_does_not_replace_an_exception(self):
        with self.assertRaises(KeyError):
            with toroid.Plan((4, 4), torus="2") as plan:
                plan._run.cancel()
                raise KeyError

    def test_each_process_gives_and_gets_its_blocks(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        for processes in (1, 2, 4):
            done = launch(PROGRAM, processes)
            with self.subTest(processes=processes):
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                sizes = [int(line.split()[-1]) for line in done.stdout.splitlines()]
                self.assertEqual(sum(sizes), 3 * 210 + 6 * 5 * 4)

    def test_processes_make_one_plan_after_the_other(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        for processes in (1, 2):
            done = launch(FUNCTION_SCOPE, processes)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right\n" * processes, ""))

    def test_exception_in_one_process_ends_the_others(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        for program, words in ((ONE_FAILS, "an exception left the plan's `with` block"),
                               (ONE_ENDS, "the program was ended by an exception")):
            done = launch(program, 2)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("KeyError: 'mine'", done.stderr)
            self.assertIn(words, done.stderr)

    def test_signal_ends_closing_and_close_raises_the_failure_of_another_process(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        done = launch(INTERRUPTED_CLOSE, 2)
        self.assertEqual((sorted(done.stdout.splitlines()), done.stderr), (["0 KeyError", "1 RunFailed"], ""))

    def test_program_of_the_documentation_runs_in_one_and_two_processes(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        text = (pathlib.Path(os.environ["TOROID_SOURCE_DIR"]) / "docs" / "PYTHON.md").read_text()
        program = re.search(r"^```text\n(import toroid\n\nwith toroid.Plan.*?)^```$", text, re.M | re.S).group(1)
        for done in (run_program(program), launch(program, 2)):
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "sum of the array: 262144.0\n", ""))


if __name__ == "__main__":
    unittest.main()
