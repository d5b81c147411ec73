"""Runs end in order when the interpreter ends, a process is forked, or the user insists."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import unittest

SLEEPER = """
    class Sleeper(toroid.Policy):
        def order(self, shape, rank, seed, round):
            print("asked", flush=True)
            time.sleep(60)
            return [peer for peer in range(shape.size) if peer != rank]
    """


def program(text):
    return "import os, signal, sys, threading, time, toroid\n" + textwrap.dedent(text)


def ended(text):
    """What a program prints on standard output and error, and its exit code."""
    done = subprocess.run([sys.executable, "-c", program(text)], capture_output=True, text=True, timeout=60)
    return done.stdout, done.stderr, done.returncode


class Ending(unittest.TestCase):
    def test_of_the_interpreter_ends_a_run_in_a_daemon_thread(self):
        for options in ("", ", fabric='shm', traffic='lines:X'"):
            out, err, code = ended(f"""\
                def work():
                    while True:
                        toroid.run("8x8x8", bytes=2400, progress=False{options})
                threading.Thread(target=work, daemon=True).start()
                time.sleep(0.5)
                print("end")
                sys.exit(3)
                """)
            self.assertEqual((out, code), ("end\n", 3), err)
            self.assertNotIn("Traceback", err)

    def test_of_the_interpreter_does_not_wait_for_a_policy_in_c(self):
        began = time.monotonic()
        out, err, code = ended(textwrap.dedent(SLEEPER) + textwrap.dedent("""\
            threading.Thread(target=lambda: toroid.run("2x2", policy=Sleeper()), daemon=True).start()
            time.sleep(0.5)
            sys.exit(4)
            """))
        self.assertEqual(code, 4, err)
        self.assertLess(time.monotonic() - began, 30)

    def test_of_a_run_by_a_second_signal_although_its_policy_sleeps(self):
        text = program(textwrap.dedent(SLEEPER) + textwrap.dedent("""\
            try:
                toroid.run("2x2", policy=Sleeper())
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            """))
        with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as run:
            self.assertEqual(run.stdout.readline(), "asked\n")
            run.send_signal(signal.SIGINT)
            time.sleep(0.3)
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.stdout.readline(), "interrupted\n")
            run.wait(timeout=30)


class Forked(unittest.TestCase):
    def test_during_a_run_cannot_run(self):
        out, err, code = ended("""\
            threading.Thread(target=lambda: toroid.run("8x8x8", bytes=4800, progress=False), daemon=True).start()
            time.sleep(0.5)
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                try:
                    toroid.run("2x2")
                except toroid.RunFailed as failed:
                    print(failed, flush=True)
                os._exit(5)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """)
        self.assertIn("this process was forked while its parent was in a run", out, err)
        self.assertTrue(out.endswith("5\n"), out)

    def test_between_runs_can_run(self):
        out, err, code = ended("""\
            toroid.run("2x2")
            child = os.fork()
            if child == 0:
                print(toroid.run("2x2").nodes, flush=True)
                os._exit(0)
            os.waitpid(child, 0)
            print(toroid.run("2x2").nodes)
            """)
        self.assertEqual((out, code), ("4\n4\n", 0), err)


class APolicy(unittest.TestCase):
    def test_cannot_start_a_run_in_a_thread_that_it_waits_for(self):
        out, err, code = ended("""\
            from concurrent.futures import ThreadPoolExecutor
            class Starter(toroid.Policy):
                def order(self, shape, rank, seed, round):
                    with ThreadPoolExecutor(1) as pool:
                        pool.submit(lambda: toroid.run("2x2")).result()
            signal.alarm(40)
            try:
                toroid.run("2x2", policy=Starter())
            except toroid.PolicyError as refused:
                print(refused)
            """)
        self.assertIn("a policy cannot start a run", out, err)

    def test_does_not_keep_other_threads_from_running(self):
        out, err, code = ended("""\
            class Slow(toroid.Policy):
                def order(self, shape, rank, seed, round):
                    time.sleep(0.3)
                    return [peer for peer in range(shape.size) if peer != rank]
            def other():
                began.wait()
                print(toroid.run("2x2").nodes)
            began = threading.Event()
            thread = threading.Thread(target=other)
            thread.start()
            threading.Timer(0.2, began.set).start()
            toroid.run("3x2", policy=Slow())
            thread.join()
            """)
        self.assertEqual((out, code), ("4\n", 0), err)


class AHandlerOfTheUser(unittest.TestCase):
    def test_stays_in_place_while_a_thread_runs(self):
        out, err, code = ended("""\
            seen = []
            signal.signal(signal.SIGINT, lambda *about: seen.append("seen"))
            thread = threading.Thread(target=lambda: print(toroid.run("8x8x4", progress=False).nodes))
            thread.start()
            os.kill(os.getpid(), signal.SIGINT)
            thread.join()
            print(seen)
            """)
        self.assertEqual((out, code), ("256\n['seen']\n", 0), err)


if __name__ == "__main__":
    unittest.main()
