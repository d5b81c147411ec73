import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import traceback
import unittest

import numpy as np

import toroid

from helpers import has_ofi, launch, run_program

# Every process has its own interpreter and its own object of the policy; the nodes of all processes follow it.
SEVERAL_PROCESSES = """
import os
import numpy as np
import toroid

class Via(toroid.Policy):
    name = "via"

    def order(self, shape, rank, seed, round):
        return (rank + np.arange(1, shape.size)) % shape.size

    def relay(self, shape):
        ranks = np.arange(shape.size)
        return np.broadcast_to((ranks[:, None] + 1) % shape.size, (shape.size, shape.size))

runs = [toroid.run("4x2", bytes=480, policy=Via(), fabric="ofi", route=route) for route in ("torus", "direct")]
rows = toroid.compare(torus="4x2", bytes=480, policies=[Via(), "shift"], fabric="ofi")
if os.environ["RANK"] == "0":
    print([(run.fabric, run.processes, run.policy, run.packets) for run in runs])
    print([(row.policy, row.packets) for row in rows])
else:
    assert (runs, rows) == ([None, None], None), (runs, rows)
"""

ONE_RAISES = """
import os
import numpy as np
import toroid

class Mine(toroid.Policy):
    name = "mine"

    def order(self, shape, rank, seed, round):
        if os.environ["RANK"] == "1":
            raise KeyError("unknown")
        return (rank + np.arange(1, shape.size)) % shape.size

toroid.run(torus="4x2", policy=Mine(), fabric="ofi")
"""


class Shift(toroid.Policy):
    """The same order as the built-in policy shift."""

    name = "my-shift"

    def order(self, shape, rank, seed, round):
        return (rank + np.arange(1, shape.size)) % shape.size


def giving(value, **members):
    """Return a policy whose node 5 passes its order through `value`."""

    class Bad(Shift):
        name = "bad"

        def order(self, shape, rank, seed, round):
            good = super().order(shape, rank, seed, round)
            return value(good) if rank == 5 and shape.size == 16 else good

    for key, member in members.items():
        setattr(Bad, key, member)
    return Bad()


class Policies(unittest.TestCase):
    def test_runs_like_the_built_in_policy_of_the_same_order(self):
        for fabric in ("sim", "shm"):
            mine = toroid.run(torus="4x4", policy=Shift(), fabric=fabric, bytes=480)
            built_in = toroid.run(torus="4x4", policy="shift", fabric=fabric, bytes=480)
            self.assertEqual(mine.policy, "my-shift")
            self.assertEqual(mine.packets, built_in.packets)
            if fabric == "sim":
                self.assertEqual(mine.cycles, built_in.cycles)
                np.testing.assert_array_equal(mine.link_loads, built_in.link_loads)

    def test_runs_in_several_processes(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        done = launch(SEVERAL_PROCESSES, 2)
        packets = 312  # as in the model
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"{[('ofi', 2, 'via', packets)] * 2}\n{[('via', packets), ('shift', 112)]}\n")

    def test_an_exception_in_one_process_ends_the_others(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        done = launch(ONE_RAISES, 2)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("KeyError: 'unknown'", done.stderr)
        self.assertIn("process 1", done.stderr)

    def test_program_of_the_documentation_runs_in_one_and_two_processes(self):
        if not has_ofi():
            self.skipTest("built without ofi")
        text = (pathlib.Path(os.environ["TOROID_SOURCE_DIR"]) / "docs" / "PYTHON.md").read_text()
        program = re.search(r"^```text\n(import numpy as np\nimport toroid\n\n\nclass EvenOdd.*?)^```$", text, re.M | re.S).group(1)
        for done in (run_program(program), launch(program, 2)):
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "['even-odd', 'random']\n", ""))

    def test_a_file_with_tables_for_two_tori_is_compared_on_both(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "mine.toml")
            text = 'policy = "random"\n'
            for torus, nodes in (("4x4", 16), ("2x3", 6)):
                np.save(path.with_name(torus + ".npy"), np.arange(1, nodes))  # offsets of ranks, as shift has
                text += f'[[tables]]\ntorus = "{torus}"\norder = "{torus}.npy"\n'
            path.write_text(text)
            rows = toroid.compare(torus=[(4, 4), "2x3"], policies=["shift", str(path)])
            cycles = {(row.policy, row.torus): row.cycles for row in rows}
            for torus in ("4x4", "2x3"):
                self.assertEqual(cycles["mine", torus], cycles["shift", torus])
            with self.assertRaisesRegex(toroid.BadInput, r"for tori 4x4, 2x3; this exchange is on 4x2$"):
                toroid.run(torus="4x2", policy=str(path))

    def test_order_is_called_once_for_each_node(self):
        asked = []

        class Counting(Shift):
            def order(self, shape, rank, seed, round):
                asked.append((shape.text, rank, seed, round))
                return super().order(shape, rank, seed, round)

        toroid.run(torus="4x2", policy=Counting(), bytes=4800)
        here = [one for one in asked if one[0] == "4x2"]
        self.assertEqual(len(here), 8)
        self.assertEqual(len(set(here)), 8)

    def test_appears_in_tables_with_others(self):
        rows = toroid.compare(torus=["4x4", "4x4x2"], policies=["shift", Shift(), "random"], bytes=480)
        self.assertEqual([row.policy for row in rows], ["shift", "my-shift", "random"] * 2)
        self.assertEqual(rows[0].cycles, rows[1].cycles)
        self.assertIn("my-shift", repr(rows))

    def test_can_be_swept(self):
        rows = toroid.sweep(axis="bytes", torus="4x4", bytes=[240, 960], policies=[Shift(), "shift"])
        cycles = {(row.policy, row.bytes): row.cycles for row in rows}
        self.assertEqual(cycles["my-shift", 960], cycles["shift", 960])

    def test_can_be_used_by_a_transform(self):
        array = np.random.default_rng(1).random((8, 8, 8))
        for fabric in ("sim", "shm"):
            out = toroid.fft(array, torus="2x2x2", policy=Shift(), fabric=fabric, method="rows")
            np.testing.assert_allclose(out, np.fft.fftn(array), atol=1e-11)

    def test_changes_its_order_with_the_round(self):
        rounds = set()

        class Rounds(Shift):
            changes_order = True

            def order(self, shape, rank, seed, round):
                rounds.add(round)
                return np.roll(super().order(shape, rank, seed, round), round)

        for fabric in ("sim", "shm"):
            rounds.clear()
            toroid.run(torus="4x4", policy=Rounds(), bytes=960, fabric=fabric, per_visit=1)
            self.assertGreaterEqual(rounds, {0, 1, 2, 3})

    def test_order_may_be_a_list(self):
        class Listed(toroid.Policy):
            def order(self, shape, rank, seed, round):
                return [peer for peer in range(shape.size) if peer != rank]

        self.assertEqual(toroid.run(torus="4x4", policy=Listed()).cycles,
                         toroid.run(torus="4x4", policy="rank").cycles)

    def test_changes_settings_of_nodes(self):
        seen = []

        class Set(Shift):
            def settings(self, shape, machine):
                seen.append((shape.text, machine.name, machine.injection_fifos))
                return {"output_queues": 3, "packets_per_visit": 2, "drain": "round-robin",
                        "routing": "deterministic", "tie": "plus", "tying": "any", "window": 7}

        r = toroid.run(torus="4x4", policy=Set())
        self.assertEqual((r.output_queues, r.packets_per_visit, r.drain, r.routing, r.tie, r.tying),
                         (3, 2, "round-robin", "deterministic", "plus", "any"))
        self.assertEqual(r.throttle["window"], 7)
        self.assertIn(("4x4", "bgl", 6), seen)

    def test_relays_by_a_table(self):
        class ByCorner(Shift):
            def relay(self, shape):
                coords = shape.coord(np.arange(shape.size))
                x = coords[:, 0]
                table = np.empty((shape.size, shape.size), int)
                for source in range(shape.size):
                    corners = np.tile(coords[source], (shape.size, 1))
                    corners[:, 0] = x
                    table[source] = shape.rank(corners)
                return table

        for fabric in ("sim", "shm"):
            r = toroid.run(torus="4x4", policy=ByCorner(), fabric=fabric)
            if fabric == "sim":
                two_phase = toroid.run(torus="4x4", policy="two-phase")  # uses the same relays
                self.assertEqual(r.forwarded, two_phase.forwarded)

    def refusal(self, policy, **options):
        for fabric in ("sim", "shm"):
            with self.assertRaises(toroid.PolicyError) as caught:
                toroid.run(torus="4x4", policy=policy, fabric=fabric, **options)
        self.assertIsInstance(caught.exception, toroid.RunFailed)
        return caught.exception

    def test_wrong_order_is_refused_with_policy_node_and_fault(self):
        node = r"^policy bad: order\(\) of node 5 \(1,1\) on torus 4x4, round 0: "
        for value, why in (
            (lambda good: good[:-1], "has 14 peers and leaves out 4; expected each of the 15 other nodes"),
            (lambda good: np.r_[good, good[3]], "visits 9 twice, at places 3 and 15"),
            (lambda good: np.r_[good[:-1], 5], "visits itself at place 14"),
            (lambda good: np.r_[good[:-1], 16], "visits 16 at place 14, which is not a rank from 0 to 15"),
            (lambda good: good - 7, "visits -1 at place 0, which is not a rank"),
            (lambda good: good * 1.0, "returned ndarray; expected a sequence of 15 ranks"),
            (lambda good: good.reshape(3, 5), "returned ndarray; expected a sequence of 15 ranks"),
            (lambda good: None, "returned NoneType; expected a sequence of 15 ranks"),
            (lambda good: [], "has 0 peers and leaves out 0"),
            (lambda good: np.r_[good[:-1].astype(np.uint64), np.uint64(2**64 - 1)], "visits 18446744073709551615 at"),
        ):
            with self.subTest(why=why):
                self.assertRegex(str(self.refusal(giving(value))), node + why)

    def test_order_may_leave_out_dead_nodes_but_no_live_one(self):
        failed = {"fail_nodes": ["(0,2)"]}
        whole = toroid.run(torus="4x4", policy=Shift(), **failed)
        live = toroid.run(torus="4x4", policy=giving(lambda good: good[good != 2]), **failed)
        self.assertEqual(live.packets, whole.packets)
        error = self.refusal(giving(lambda good: good[good != 7]), **failed)
        self.assertRegex(str(error), "node 5 .* has 14 peers and leaves out 7; expected each of the 14 other nodes")

    def test_ends_with_the_exception_and_its_traceback(self):
        def fail(good):
            raise KeyError("lost")

        error = self.refusal(giving(fail))
        self.assertRegex(str(error), r"^policy bad: order\(\) of node 5 .*: KeyError: 'lost'$")
        self.assertIsInstance(error.__cause__, KeyError)
        self.assertIn("in fail", "".join(traceback.format_exception(error)))

    def test_names_the_node_if_an_exception_has_no_text(self):
        class Silent(Exception):
            def __str__(self):
                raise ValueError("none")

        def fail(good):
            raise Silent

        self.assertRegex(str(self.refusal(giving(fail))), r"order\(\) of node 5 .*: Silent$")

    def test_passes_on_an_interrupt_but_not_an_exit(self):
        for kind, raised in ((KeyboardInterrupt, KeyboardInterrupt), (SystemExit, toroid.PolicyError)):
            def end(good):
                raise kind("now")

            for fabric in ("sim", "shm"):
                with self.assertRaisesRegex(raised, "now"):
                    toroid.run(torus="4x4", policy=giving(end), fabric=fabric)
        self.assertEqual(toroid.run(torus="4x4", policy=Shift()).nodes, 16)

    def test_ctrl_c_ends_an_endless_loop_in_a_policy(self):
        program = textwrap.dedent("""\
            import toroid
            class Endless(toroid.Policy):
                def order(self, shape, rank, seed, round):
                    print("asked", flush=True)
                    while True:
                        pass
            try:
                toroid.run(torus="4x4", policy=Endless(), fabric="FABRIC")
            except KeyboardInterrupt:
                print("interrupted, then", toroid.run(torus="4x4").nodes)
            """)
        for fabric in ("sim", "shm"):
            with self.subTest(fabric=fabric), subprocess.Popen(
                    [sys.executable, "-c", program.replace("FABRIC", fabric)], stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True) as run:
                self.assertEqual(run.stdout.readline(), "asked\n")
                run.send_signal(signal.SIGINT)
                out, err = run.communicate(timeout=60)
                self.assertIn("interrupted, then 16", out, err)

    def test_holds_messages_back_by_a_table(self):
        class Late(Shift):
            def release(self, shape):
                return np.full((shape.size, shape.size), 5000)

        # On more nodes packets compete for links, which draw lots anew in each cycle.
        late, at_once = (toroid.run("2x2", policy=one()) for one in (Late, Shift))
        self.assertEqual(late.cycles - at_once.cycles, 5000)
        with self.assertRaisesRegex(toroid.BadInput, "release times have no effect"):
            toroid.run("4x4", policy=Late(), fabric="shm")

    def test_refuses_wrong_release_times(self):
        for table, said in (([[0]], "expected a table of 16 sources by 16 destinations"),
                            (np.full((16, 16), -1), "row 0, column 0: -1 is not a time from 0 to"),
                            (np.full((16, 16), 2**60), f"{2**60} is not a time from 0 to")):
            class Wrong(Shift):
                def release(self, shape):
                    return table

            with self.assertRaisesRegex(toroid.PolicyError, said):
                toroid.run("4x4", policy=Wrong())

    def test_refuses_a_class_in_the_place_of_an_object(self):
        with self.assertRaisesRegex(TypeError, r"Shift is a class; expected an object: Shift\(\)"):
            toroid.run("4x4", policy=Shift)

    def test_refuses_methods_that_nobody_would_call(self):
        for member, said in (("orders", r"did you mean order\(\)"), ("relese", r"did you mean release\(\)"),
                             ("combines", "its methods are order, settings, relay, release")):
            with self.assertRaisesRegex(TypeError, said):
                type("Mine", (toroid.Policy,), {member: lambda self: None})
        for member in ("hops", "_orders"):
            type("Mine", (toroid.Policy,), {member: lambda self: None})

    def test_its_exception_ends_a_comparison(self):
        def fail(good):
            raise KeyError("lost")

        with self.assertRaises(toroid.PolicyError) as caught:
            toroid.compare(torus="4x4", policies=["random", giving(fail)])
        self.assertIsInstance(caught.exception.__cause__, KeyError)

    def test_failure_names_its_node_and_round(self):
        class Later(Shift):
            changes_order = True

            def order(self, shape, rank, seed, round):
                if round == 2 and rank == 7:
                    raise OverflowError("too late")
                return super().order(shape, rank, seed, round)

        error = self.refusal(Later(), bytes=960, per_visit=1)
        self.assertRegex(str(error), "node 7 .* round 2: OverflowError: too late")

    def test_refuses_wrong_settings_and_relays(self):
        for members, why in (
            ({"settings": lambda self, shape, machine: {"queue": 3}}, "unknown setting 'queue'"),
            ({"settings": lambda self, shape, machine: {"drain": "fast"}}, "unknown drain rule 'fast'"),
            ({"settings": lambda self, shape, machine: {"window": "x"}}, "window cannot be 'x'"),
            ({"settings": lambda self, shape, machine: 1 // 0}, "ZeroDivisionError"),
            ({"settings": lambda self, shape, machine: 3}, "returned int; expected a dict or None"),
            ({"relay": lambda self, shape: np.zeros((2, 2), int), "_has_relays": True},
             "expected a table of 16 sources by 16 destinations"),
            ({"relay": lambda self, shape: np.full((16, 16), 99), "_has_relays": True}, "is not a rank"),
        ):
            with self.subTest(why=why):
                policy = giving(lambda good: good, **members)
                self.assertRegex(str(self.refusal(policy)), why)

    def test_refuses_numbers_past_the_limits_of_settings(self):
        whole = ("packets_per_visit", "output_queues", "queue_capacity", "window")
        wrong = (-1, 2**64, float("nan"), float("inf"), "x", None, 1e300)
        for key in (*whole, "cycles_per_packet"):
            for value in (*wrong, 2**32) if key in whole else wrong:
                with self.subTest(key=key, value=value):
                    policy = giving(lambda good: good,
                                    settings=lambda self, shape, machine: {key: value})
                    self.assertRegex(str(self.refusal(policy)),
                                     rf"settings\(\): {key} (cannot be|must be a number from)")
        for key in whole[:3]:
            policy = giving(lambda good: good, settings=lambda self, shape, machine: {key: 0})
            self.assertRegex(str(self.refusal(policy)), "must be a number from 1")

    def test_refuses_names_that_tables_cannot_show(self):
        for name, why in (("", "its name is empty"), ("a b", "may contain only letters"),
                          ("a\0b", "may contain only letters"),
                          ("random", "its name random is taken by a built-in policy")):
            with self.subTest(name=name), self.assertRaisesRegex(toroid.BadInput, why):
                toroid.run(torus="4x4", policy=giving(lambda good: good, name=name))
        with self.assertRaisesRegex(toroid.BadInput, "its name is empty"):
            toroid.run(torus="4x4", policy=toroid.Policy())

    def test_must_define_order(self):
        class Empty(toroid.Policy):
            pass

        self.assertIsInstance(self.refusal(Empty()).__cause__, NotImplementedError)
        with self.assertRaisesRegex(TypeError, "is not a policy"):
            toroid.run(torus="4x4", policy=3)

    def test_cannot_start_a_run(self):
        class Nested(Shift):
            def order(self, shape, rank, seed, round):
                toroid.run(torus="2x2")

        self.assertRegex(str(self.refusal(Nested()).__cause__), "cannot start a run")


if __name__ == "__main__":
    unittest.main()
