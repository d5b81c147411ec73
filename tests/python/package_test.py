import ast
import copy
import doctest
import pathlib
import pickle
import types
import unittest

import numpy as np

import toroid
from toroid import _bounds, _commands, _convolve, _plan, _policy, _results, _toroid


class Package(unittest.TestCase):
    def test_examples_in_docstrings_hold(self):
        for module in (toroid, toroid.fft, _bounds, _commands, _convolve, _plan, _policy, _results):
            failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
            self.assertEqual(failed, 0, module.__name__)
            self.assertGreater(tried, 0, module.__name__)
        for kind in (toroid.Shape, toroid.Machine):
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            parsed = doctest.DocTestParser().get_doctest(kind.__doc__, {}, kind.__name__, None, None)
            self.assertEqual(runner.run(parsed).failed, 0, kind.__name__)

    def test_has_a_docstring_and_a_stub_for_every_public_name(self):
        folder = pathlib.Path(toroid.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        native = {node.name for node in ast.parse((folder / "_toroid.pyi").read_text()).body
                  if hasattr(node, "name")}
        for name in toroid.__all__:
            self.assertTrue(getattr(toroid, name).__doc__, name)
            if getattr(_toroid, name, None) is getattr(toroid, name):
                self.assertIn(name, native)

    def test_functions_of_the_package_have_type_annotations(self):
        named = [(name, getattr(toroid, name)) for name in toroid.__all__]
        named += [(name, getattr(toroid.fft, name)) for name in toroid.fft.__all__]
        named.append(("fft()", type(toroid.fft).__call__))
        for name, one in named:
            if callable(one) and not isinstance(one, (type, types.ModuleType)):
                self.assertIn("return", one.__annotations__, name)
                self.assertTrue(one.__doc__, name)

    def test_stub_names_every_attribute_of_shapes_and_machines(self):
        folder = pathlib.Path(toroid.__file__).parent
        for node in ast.parse((folder / "_toroid.pyi").read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name in ("Shape", "Machine"):
                known = {getattr(one, "name", None) or one.target.id for one in node.body
                         if isinstance(one, (ast.FunctionDef, ast.AnnAssign))}
                real = {key for key in vars(getattr(toroid, node.name)) if not key.startswith("_")}
                self.assertLessEqual(real, known)


class Shapes(unittest.TestCase):
    def test_coordinates_and_ranks_are_each_others_inverse(self):
        import numpy as np

        for text in ("4x3x2", "5x4m", "8x4@YX4"):
            shape = toroid.Shape(text)
            ranks = np.arange(shape.size)
            np.testing.assert_array_equal(shape.rank(shape.coord(ranks)), ranks)
            for a in range(0, shape.size, 3):
                route = shape.route(a, shape.size - 1)
                self.assertEqual(len(route) - 1, shape.hops(a, shape.size - 1))

    def test_give_neighbours_and_minimal_directions(self):
        shape = toroid.Shape("4x4m")
        self.assertEqual(shape.neighbour(0, "X-"), 12)
        self.assertIsNone(shape.neighbour(0, "Y-"))
        self.assertEqual(shape.minimal_directions(0, 13), ["X-", "Y+"])
        with self.assertRaisesRegex(toroid.BadInput, "'Z\\+' is not a direction .* X\\+, X-, Y\\+, Y-"):
            shape.neighbour(0, "Z+")
        with self.assertRaisesRegex(toroid.BadInput, "16 is not a rank"):
            shape.coord(16)

    def test_shapes_and_machines_can_be_pickled_and_copied(self):
        for shape in (toroid.Shape("4x4x2m"), toroid.Shape("8x4@YX4"), toroid.Shape("4x4", mesh=True),
                      toroid.Shape("4x4", failed_links=["(0,0)X+"], failed_nodes=["(1,2)"])):
            for again in (pickle.loads(pickle.dumps(shape)), copy.deepcopy(shape)):
                self.assertEqual(again, shape)
                self.assertEqual(again.neighbour(0, "X+"), shape.neighbour(0, "X+"))
        machine = copy.deepcopy(toroid.Machine("bgp"))
        self.assertEqual((machine.name, machine.clock_hz), ("bgp", toroid.Machine("bgp").clock_hz))

    def test_a_machine_object_can_replace_a_machine_name(self):
        run = toroid.run(torus="4x4", machine=toroid.Machine("bgp"))
        self.assertEqual(run.cycles, toroid.run(torus="4x4", machine="bgp").cycles)
        rows = toroid.compare(torus="4x4", policies="shift", machine=[toroid.Machine("bgl"), toroid.Machine("bgp")])
        self.assertEqual([row.machine for row in rows], ["bgl", "bgp"])

    def test_wrong_ranks_sizes_and_pairs_are_refused_in_plain_words(self):
        shape = toroid.Shape("4x4")
        for call, why in (
            (lambda: shape.coord(1.7), "expected whole numbers, not 1.7"),
            (lambda: shape.coord(float("nan")), "expected whole numbers, not nan"),
            (lambda: shape.coord(16), "16 is not a rank"),
            (lambda: shape.rank((0.5, 1)), "expected whole numbers"),
            (lambda: shape.hops([1, 2], [1, 2, 3]), r"shapes \(2,\) and \(3,\) cannot be broadcast"),
            (lambda: shape.hops(0, "x"), "expected whole numbers"),
            (lambda: toroid.bounds(torus="4x4", bytes=2**64 - 1), "is not a whole number from 0 to 4294967296"),
            (lambda: toroid.bounds(torus="4x4", bytes=-1), "-1 is not a whole number"),
            (lambda: toroid.message_cost("x"), "'x' is not a whole number"),
            (lambda: toroid.fft(np.zeros((4, 4)), torus="2", norm=[]), "expected backward, ortho, forward or paper"),
        ):
            with self.subTest(why=why), self.assertRaisesRegex(toroid.BadInput, why):
                call()
        np.testing.assert_array_equal(shape.hops([[0], [1]], [0, 1]), [[0, 1], [1, 0]])

    def test_bounds_are_those_of_a_run(self):
        for torus in ("4x4x4", "8x4", "4x4m"):
            r = toroid.run(torus=torus, bytes=480)
            b = toroid.bounds(torus=torus, bytes=480)
            self.assertEqual({key: b[key] for key in r.bounds}, r.bounds)
            self.assertEqual(b.cycles, r.bound_cycles)


if __name__ == "__main__":
    unittest.main()
