"""A bare-metal message layer on an emulated Blue Gene-style torus, from Python.

run()       run one exchange under a policy
fft         numpy.fft and scipy.fft, computed by the nodes of a torus; fft() itself is fftn over all axes
Plan        a transform that is planned once and called often
poisson()   the potential of a density in a box
convolve()  scipy.signal.fftconvolve
compare()   compare policies
sweep()     vary load, message size or machine size
bounds()    lower bounds on the time of an all-to-all
Shape       a torus or mesh: coordinates, routes and directions
Policy      base class of your own policies

Cycles are cycles of the emulated machine's clock. Bytes are payload unless stated otherwise. The load of a link is
the number of packets that it carried.

>>> import toroid
>>> toroid.run(torus="4x4x4", bytes=480)
<alltoall on 4x4x4, sim, policy random: ... cycles, ... % of bound>
"""

from . import fft
from ._bounds import bounds, diameter, hottest_link_messages, message_cost, usable_links
from ._plan import Block, Plan
from ._pictures import fifo_occupancy as plot_fifo_occupancy
from ._pictures import latency as plot_latency
from ._pictures import link_loads as plot_link_loads
from ._pictures import phases as plot_phases
from ._policy import Policy
from ._results import Histogram, Occupancy, Result, Results, Row
from ._commands import compare, poisson, run, sweep
from ._convolve import convolve
from ._toroid import BadInput, Machine, PolicyError, RunFailed, Shape, __version__

__all__ = [
    "BadInput", "Block", "Histogram", "Machine", "Occupancy", "Plan", "Policy", "PolicyError", "Result", "Results",
    "Row", "RunFailed", "Shape", "bounds", "compare", "convolve", "diameter", "fft", "hottest_link_messages",
    "message_cost", "plot_fifo_occupancy", "plot_latency", "plot_link_loads", "plot_phases",
    "poisson", "run", "sweep", "usable_links",
]

for _name in ("BadInput", "Machine", "PolicyError", "RunFailed", "Shape"):
    globals()[_name].__module__ = "toroid"
del _name
