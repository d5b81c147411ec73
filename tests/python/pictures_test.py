"""Pictures show the values of their results. The notebook, run again, prints the output that it contains."""

import os
import pathlib
import subprocess
import sys
import unittest

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot

import toroid

SOURCE = pathlib.Path(os.environ["TOROID_SOURCE_DIR"])


class Pictures(unittest.TestCase):
    def tearDown(self):
        pyplot.close("all")

    def test_a_run_shows_its_link_loads_and_latencies(self):
        result = toroid.run(torus="4x2", bytes=240)
        loads, latencies = result.plot()
        shown = loads.images[0].get_array()
        np.testing.assert_array_equal(shown.filled(np.nan), result.link_loads.T)
        self.assertEqual([text.get_text() for text in loads.get_yticklabels()],
                         ["X+", "X-", "Y+", "Y-"])
        steps = latencies.patches[0].get_data()
        self.assertAlmostEqual((steps.values * np.diff(steps.edges)).sum(), result.packets)

    def test_a_recorded_run_also_shows_its_fifos_over_time(self):
        result = toroid.run(torus="4x4", bytes=480, record=True)
        axes = result.plot()
        self.assertEqual(len(axes), 3)
        cycles, mean = axes[2].lines[0].get_data()
        np.testing.assert_array_equal(cycles, result.fifo_occupancy.cycles)
        np.testing.assert_array_equal(mean, result.fifo_occupancy.nodes.mean(axis=1))

    def test_links_that_a_mesh_does_not_have_are_blank(self):
        result = toroid.run(torus="3", mesh=True, bytes=240)
        ax = toroid.plot_link_loads(result)
        self.assertEqual(np.isnan(ax.images[0].get_array().filled(np.nan)).sum(), 2)

    def test_a_transform_shows_its_phases_and_their_bounds(self):
        _, result = toroid.fft(np.ones((8, 8, 8)), torus="2x2x2", full_output=True)
        ax = result.plot()
        widths = [bar.get_width() for bar in ax.patches]
        np.testing.assert_allclose(widths, result.phase_times * 1e6)
        marks = ax.collections[0].get_offsets()[:, 0]
        self.assertTrue((marks <= widths).all())

    def test_a_comparison_has_one_bar_per_run(self):
        rows = toroid.compare(torus=["4", "4x4"], policies=["random", "shift"], bytes=240)
        ax = rows.plot()
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches],
                                   [row.percent_of_bound for row in rows])
        self.assertEqual(ax.get_yticklabels()[1].get_text(), f"{rows[1].policy}, {rows[1].torus}")

    def test_a_load_sweep_has_one_line_per_policy(self):
        rows = toroid.sweep(axis="load", torus="4x4", load=[0.2, 0.4], bytes=240,
                            policies=["random", "shift"], traffic="uniform")
        ax = rows.plot()
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()],
                         ["random", "shift"])
        np.testing.assert_allclose(ax.lines[0].get_ydata(),
                                   [row.latency.mean for row in rows if row.policy == "random"])

    def test_a_picture_is_drawn_into_the_given_axes(self):
        figure, ax = pyplot.subplots()
        result = toroid.run(torus="4", bytes=240)
        self.assertIs(result.plot(ax=ax), ax)
        self.assertEqual(len(pyplot.get_fignums()), 1)


class Notebook(unittest.TestCase):
    def test_prints_the_output_it_contains(self):
        package = pathlib.Path(toroid.__file__).parents[1]
        done = subprocess.run(["tools/dev/notebook", "--check"], cwd=SOURCE, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "TOROID_PYTHON": str(package)})
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
