import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import toroid
from helpers import command_json, without_times


class Run(unittest.TestCase):
    def test_gives_the_numbers_of_the_command(self):
        for policy in ("random", "shift", "two-phase"):
            for torus in ("4x4x4", "5x3", "4x4x2m"):
                with self.subTest(policy=policy, torus=torus):
                    here = toroid.run(torus=torus, bytes=480, policy=policy, seed=7)
                    there = command_json("alltoall", "--torus", torus, "--bytes", "480", "--policy",
                                         policy, "--seed", "7")
                    self.assertEqual(without_times(here.json), without_times(there))

    def test_takes_the_options_of_the_command(self):
        here = toroid.run(torus="4x4", mesh=True, queues=2, per_visit=2, order="shift", tie="plus",
                          tying="any", drain="round-robin", routing="deterministic", peers=5,
                          threads=1)
        self.assertEqual(here.order, "shift")
        self.assertEqual(here.peers, 5)
        broken = toroid.run(torus="4x4", fail_links=["(0,0)X+", "(1,1)Y-"], long_way=True)
        self.assertEqual(broken.failed_links, ["(0,0)X+", "(1,1)Y-"])

    def test_runs_traffic_patterns(self):
        for traffic in ("transpose", "neighbour", "hotspot", "lines:X"):
            here = toroid.run(torus="4x4x4", traffic=traffic, bytes=480)
            there = command_json("alltoall", "--torus", "4x4x4", "--traffic", traffic, "--bytes", "480")
            self.assertEqual(here.traffic, traffic)
            self.assertEqual(here.result_hash, there["result_hash"])

    def test_counts_every_packet_once_in_its_arrays(self):
        r = toroid.run(torus="4x4x2m", record=True)
        self.assertEqual(np.nansum(r.link_loads), r.packet_hops)
        self.assertEqual(r.link_loads.shape, (r.nodes, len(r.directions)))
        self.assertEqual(np.nanmax(r.link_loads), r.links.max_load)
        self.assertEqual(int(np.isnan(r.link_loads).sum()), 32)  # every node is at an end of the mesh in Z
        self.assertEqual(int(r.latency_histogram.counts.sum()), r.packets)
        self.assertEqual(len(r.latency_histogram.edges), len(r.latency_histogram.counts) + 1)
        self.assertEqual(r.fifo_occupancy.nodes.shape, (len(r.fifo_occupancy.cycles), r.nodes))
        self.assertTrue((np.diff(r.fifo_occupancy.cycles) > 0).all())
        self.assertGreater(r.fifo_occupancy.highest.max(), 0)
        self.assertEqual(r.link_busy.shape[1:], r.link_loads.shape)

    def test_recording_does_not_change_the_result(self):
        plain, recorded = (toroid.run(torus="4x4", record=on) for on in (False, True))
        self.assertEqual(plain.result_hash, recorded.result_hash)
        self.assertIsNone(plain.fifo_occupancy)

    def test_runs_on_shm(self):
        r = toroid.run(torus="2x2x2", fabric="shm", threads=2, bytes=4096)
        self.assertEqual(r.time_kind, "shm")
        self.assertGreater(r.time_s, 0)
        self.assertNotIn("cycles", r.json)

    def test_refusals_have_the_text_of_the_command(self):
        with self.assertRaisesRegex(toroid.BadInput, "unknown policy 'shft'.*shift"):
            toroid.run(torus="4x4", policy="shft")
        with self.assertRaises(ValueError):
            toroid.run(torus="4xx4")
        with self.assertRaisesRegex(toroid.BadInput, "--peers has no effect on alltoall with --fabric shm"):
            toroid.run(torus="2x2", fabric="shm", peers=1)

    def test_can_be_called_from_several_threads(self):
        results = {}

        def work(seed):
            results[seed] = toroid.run(torus="4x4", seed=seed).result_hash

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {s: toroid.run(torus="4x4", seed=s).result_hash for s in range(6)})

    def test_lets_other_threads_of_python_run(self):
        counted = 0
        done = threading.Event()

        def count():
            nonlocal counted
            while not done.is_set():
                counted += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        toroid.run(torus="8x8x4")
        done.set()
        thread.join()
        self.assertGreater(counted, 3)

    def test_takes_a_torus_as_text_tuple_or_shape(self):
        cycles = toroid.run("4x2").cycles
        for torus in ((4, 2), (np.int64(4), np.uint8(2)), toroid.Shape("4x2"), toroid.Shape((4, 2)),
                      toroid.Shape(np.array([4, 2]))):
            self.assertEqual(toroid.run(torus).cycles, cycles)
        rows = toroid.compare(torus=[(4, 2), "2x2", (3,)], policies="shift")
        self.assertEqual([row.torus for row in rows], ["4x2", "2x2", "3"])
        for torus in ((), (4.0, 2), None, (0, 4)):
            with self.assertRaises(toroid.BadInput):
                toroid.Shape(torus)

    def test_takes_numbers_and_truths_of_numpy(self):
        plain = toroid.run("4x4", bytes=480, seed=2, mesh=True)
        numpy = toroid.run("4x4", bytes=np.int32(480), seed=np.uint8(2), mesh=np.True_, no_bubble=np.False_)
        self.assertEqual(numpy.result_hash, plain.result_hash)
        self.assertTrue(toroid.run("4x4", fabric="shm", stall=np.float64(20)).packets)

    def test_ctrl_c_ends_a_run_and_the_next_run_works(self):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            toroid.run(torus="32x32x16", bytes=4800)  # would take hours
        self.assertGreater(toroid.run(torus="4x4").cycles, 0)

    def test_ctrl_c_ends_a_comparison(self):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            toroid.compare(torus="32x32x8", bytes=4800, policies=["random", "shift"])
        self.assertEqual(len(toroid.compare(torus="4x4", policies="shift,rank")), 2)

    def test_calls_a_progress_function(self):
        lines = []
        toroid.compare(torus="8x8x4", policies=["random", "shift", "rank"], progress=lines.append)
        self.assertTrue(any("of 3 runs" in line for line in lines), lines)

    def test_raises_the_exception_of_a_progress_function(self):
        def fail(line):
            raise LookupError(line)

        with self.assertRaises(LookupError):
            toroid.compare(torus="8x8x4", policies="all", progress=fail)


class Campaigns(unittest.TestCase):
    def test_compare_gives_the_numbers_of_the_command(self):
        here = toroid.compare(torus=["4x4", "4x4x4"], policies=["random", "rank"], bytes=[240, 480],
                              seeds=[1, 2])
        there = command_json("compare", "--torus", "4x4,4x4x4", "--policies", "random,rank",
                             "--bytes", "240,480", "--seeds", "1,2")
        self.assertEqual(without_times(here.json), without_times(there))
        self.assertEqual(len(here), 16)

    def test_compare_has_the_table_of_the_command(self):
        here = toroid.compare(torus="4x4", policies="random,rank")
        self.assertIn("rank", repr(here))
        self.assertEqual(len(here.table.splitlines()), len(repr(here).splitlines()))

    def test_sweep_gives_the_numbers_of_the_command(self):
        here = toroid.sweep(axis="load", torus="4x4", load=[0.25, 0.5], policies="random", refine=1)
        there = command_json("sweep", "--axis", "load", "--torus", "4x4", "--load", "0.25,0.5",
                             "--policies", "random", "--refine", "1")
        self.assertEqual(without_times(here.json), without_times(there))

    def test_rows_convert_to_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        rows = toroid.compare(torus="4x4", policies="random,rank")
        frame = rows.to_pandas()
        self.assertEqual(list(frame["cycles"]), [row.cycles for row in rows])
        series = toroid.run(torus="4x4").to_pandas()
        self.assertEqual(series["links.max_load"], toroid.run(torus="4x4").links.max_load)

    def test_says_what_to_install_without_pandas(self):
        code = ("import sys; sys.modules['pandas'] = None; import toroid\n"
                "try: toroid.run(torus='2x2').to_pandas()\n"
                "except ImportError as e: print(e)")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "to_pandas() needs pandas: apt install python3-pandas\n")


if __name__ == "__main__":
    unittest.main()
