"""The rows of the comparison, and their bars."""

from dataclasses import dataclass, field

from comparison.fftw_plans import KINDS

ALL_TO_ALL_BYTES = [256 << i for i in range(13)]  # per pair of ranks
ALL_TO_ALL_BARS = {256: (1.2, 0.9), 4096: (0.45, 0.5), 65536: (0.8, 0.8), 1 << 20: (0.8, 0.8)}  # near, far
LONG_MESSAGE_BYTES = 256 * 240  # full packets only, to measure the packet rate and not the cost per message
REPEATS = {64: 30, 128: 10, 256: 3}
REPEATS_OF_64_RANKS = {64: 10, 128: 5}
PLANNINGS_OF_64_RANKS = 1  # planning 128^3 takes 40 s of processor time, starting 64 processes 15 s
TCP = "tcp;ofi_rxm"
MPI_OVER_TCP = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]
FRAME_BYTES = 262144  # bytes per message of raw libfabric, the same as toroid's frames
EXCHANGE_BYTES = 1 << 20
HUNDRED_PACKETS = 100 * 240
NETWORK = ["2", "1000", "100"]  # number of hosts; Mbit/s; one-way delay in us
PLANES_ON_HOSTS = "8"
# Size, box cut, repeats, and whether bars are judged. They are judged in the first row, which has the size of other
# rows, and in the last, in which the network takes about as long as the transforms that can hide it.
HOSTS = [(128, 1, 10, True), (128, 2, 10, False), (128, 4, 10, False), (256, 4, 5, True)]


@dataclass
class Bar:
    limit: float | None  # None if the ratio is shown but not judged
    at_most: bool = True  # True for times; a rate must be at least the limit
    absolute: bool = False  # the limit applies to our value, not to the ratio to the baseline's
    unit: str = "s"
    far: float | None = None  # the limit if the cores are far from each other; None if it is the same

    def at(self, kind):
        return self.far if kind == "far" and self.far is not None else self.limit

    def passes(self, value, kind):
        return value <= self.at(kind) if self.at_most else value >= self.at(kind)


@dataclass
class Measurement:
    """One pair of commands. The readers return {row: {variant: value}}; the best variant counts."""
    name: str
    bars: dict
    ours: list
    read_ours: object
    theirs: list = None
    read_theirs: object = None
    planned: bool = False  # for FFTW: make plans first, then pass the kinds and their wisdom as arguments
    plannings: int | None = None  # largest number of plannings per kind; None for no limit
    kinds: list = field(default_factory=lambda: list(KINDS))


class Rows:
    def __init__(self, toroid, flags, baselines):
        self.toroid, self.flags, self.baselines = toroid, flags, baselines

    def all(self):
        two = self.mpi(2)
        rows = [self.fft(f"fft-mpi2-{n}", n, "2x1x1", [*two, f"{self.baselines}/fftw_mpi"], bar)
                for n, bar in ((64, 0.9), (128, 0.6), (256, 0.75))]
        rows += [self.fft("fft-mpi2-real-128", 128, "2x1x1", [*two, f"{self.baselines}/fftw_mpi", "real"], 0.6,
                          data=["--real"])]
        rows += [self.fft(f"fft-mpi64-{n}", n, "4x4x4", [*self.mpi(64), f"{self.baselines}/fftw_mpi"], bar,
                          REPEATS_OF_64_RANKS, plannings=PLANNINGS_OF_64_RANKS)
                 for n, bar in ((64, 0.5), (128, 0.7))]
        rows += [self.fft(f"fft-threads-{n}", n, "2x1x1", [f"{self.baselines}/fftw_threads"], bar)
                 for n, bar in ((64, 1.1), (128, 1.05), (256, 1.1))]
        rows += [self.itself("torus-route-128", "2x1x1", 1.3, ["--route", "torus"], ["--route", "direct"])]
        rows += [self.itself("kissfft-128", "2x1x1", None, ["--kernel", "kissfft"], ["--kernel", "fftw"])]
        rows += [self.non_blocking(torus) for torus in ("2", "4")]
        rows += [self.hosts(*what) for what in HOSTS]
        return rows + [self.all_to_all(), self.latency(), self.ring(), self.idle(),
                       self.information("mpi-latency"), self.information("mpi-rate"), *self.ofi()]

    def non_blocking(self, torus):
        """Time of the slab method, non-blocking with the fastest number of planes, divided by the blocking time. Both
        are measured in one process with one plan."""
        name = f"non-blocking-{torus}"
        own = Rows(self.toroid, [], self.baselines)
        return Measurement(
            name, {name: Bar(1.02, absolute=True, unit="1")},
            own.ours(["fft"], torus, "--size", "128", "--method", "slab", "--planes", "-1", "--timings"),
            lambda result: {name: {"": result["timings"][-1]["ratio"]["total"]}})

    def hosts(self, size, cut, repeat, judged):
        """The slab method on two hosts. The rows are ratios, non-blocking to blocking: the time; the communication
        that is not hidden; and the least time that could be reached if only the plane loop hid communication."""
        name = f"hosts-{size}" + (f"-cut-{cut}" if cut > 1 else "")
        own = Rows(self.toroid, [], self.baselines)
        command = own.of_ofi(["fft"], TCP, "2", "--size", str(size), "--box-cut", str(cut), "--method",
                             "slab", "--planes", PLANES_ON_HOSTS, "--repeat", str(repeat), "--timings")
        return Measurement(
            name, {name: Bar(0.75 if judged else None, absolute=True, unit="1"),
                   f"{name}-left": Bar(0.3 if judged else None, absolute=True, unit="1"),
                   f"{name}-least": Bar(None, absolute=True, unit="1")},
            [f"{self.baselines}/on_hosts", *NETWORK, *command],
            lambda result: hidden(name, result["timings"][-1]))

    def ofi(self):
        """Two processes: transforms, over TCP and over libfabric's shm, against FFTW with MPI over TCP; bandwidth, rate
        and latency against raw libfabric."""
        two = ["-n", "2", f"{self.baselines}/fftw_mpi"]
        return [self.ofi_fft("fft-tcp-128", TCP, ["mpirun", "--bind-to", "core", *MPI_OVER_TCP, *two], 0.9),
                self.ofi_fft("fft-ofi-shm-128", "shm", ["mpirun", "--bind-to", "core", *MPI_OVER_TCP, *two], 0.7),
                self.ofi_bandwidth("ofi-bandwidth", "both"),
                self.ofi_bandwidth("ofi-bandwidth-stream", "stream"),
                self.ofi_bandwidth("ofi-bandwidth-shm", "both", 0.9, "shm"),
                self.ofi_rate(), self.ofi_latency()]

    def mpi(self, ranks):
        if ranks == 2:
            return ["mpirun", "--bind-to", "core", "-n", "2"]
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]

    def ours(self, command, torus, *more):
        return [self.toroid, *command, "--fabric", "shm", "--threads", "2", "--torus", torus, *more,
                *self.flags, "--quiet", "--json", "-"]

    def fft(self, name, n, torus, program, bar, repeats=None, data=(), plannings=None):
        repeat = str((repeats or REPEATS)[n])
        threads = ["2"] if name.startswith("fft-threads") else []
        return Measurement(
            name, {name: Bar(bar)},
            self.ours(["fft"], torus, "--size", str(n), *data, "--repeat", repeat),
            lambda result: {name: {"": result["time_s"]}},
            [*program, str(n), *threads, repeat],
            lambda result: {name: medians(result, "kind")}, planned=True, plannings=plannings)

    def itself(self, name, torus, bar, ours, theirs):
        """A transform of 128^3 against the same transform with other options."""
        def command(more):
            own = Rows(self.toroid, [], self.baselines)  # without the user's flags, which may conflict
            return own.ours(["fft"], torus, "--size", "128", "--repeat", str(REPEATS[128]), *more)

        def read(result):
            return {name: {"": result["time_s"]}}
        return Measurement(name, {name: Bar(bar)}, command(ours), read, command(theirs), read)

    def of_ofi(self, command, provider, torus, *more):
        """The command line of each process of a run."""
        return [self.toroid, *command, "--fabric", "ofi", "--provider", provider, "--torus", torus, *more,
                *self.flags, "--quiet", "--json", "-"]

    def processes(self, command, provider, torus, *more):
        """Two processes on this host; only process 0 prints."""
        return [self.toroid, "launch", "-n", "2", "--", *self.of_ofi(command, provider, torus, *more)]

    def raw(self, mode, number, provider=TCP):
        return [f"{self.baselines}/libfabric_raw", provider, mode, str(number)]

    def ofi_fft(self, name, provider, program, bar):
        repeat = str(REPEATS[128])
        return Measurement(
            name, {name: Bar(bar)},
            self.processes(["fft"], provider, "2x1x1", "--size", "128", "--repeat", repeat),
            lambda result: {name: {"": result["time_s"]}},
            [*program, "128", repeat],
            lambda result: {name: medians(result, "kind")}, planned=True)

    def ofi_bandwidth(self, name, mode, bar=0.92, provider=TCP):
        """Bytes per second of both directions together. If `mode` is stream, the baseline sends in one direction only."""
        return Measurement(
            name, {name: Bar(bar, at_most=False, unit="B/s")},
            self.processes(["bench", "alltoall"], provider, "2", "--sizes", str(EXCHANGE_BYTES)),
            lambda result: {name: {"": 2 * EXCHANGE_BYTES / sizes(result, "time_s")[EXCHANGE_BYTES]}},
            self.raw(mode, FRAME_BYTES, provider),
            lambda result: {name: {mode: result["rows"][0]["bytes_per_s"]}})

    def ofi_rate(self):
        """Packets per second, against raw messages per second."""
        return Measurement(
            "ofi-rate", {"ofi-rate": Bar(30, at_most=False, unit="1/s")},
            self.processes(["bench", "rate"], TCP, "2", "--sizes", str(HUNDRED_PACKETS)),
            lambda result: {"ofi-rate": {"": sizes(result, "packets_per_s")[HUNDRED_PACKETS]}},
            self.raw("stream", 256),
            lambda result: {"ofi-rate": {"": result["rows"][0]["messages_per_s"]}})

    def ofi_latency(self):
        """One-way time; its ratio equals the ratio of the round trips."""
        return Measurement(
            "ofi-latency", {"ofi-latency": Bar(1.5)},
            self.processes(["bench", "latency"], TCP, "2", "--sizes", "240"),
            lambda result: {"ofi-latency": {"": sizes(result, "time_s")[240]}},
            self.raw("latency", 256),
            lambda result: {"ofi-latency": medians(result, "what")})

    def all_to_all(self):
        rows = {size: f"alltoall-{size}" for size in ALL_TO_ALL_BYTES}
        return Measurement(
            "alltoall", {row: all_to_all_bar(size) for size, row in rows.items()},
            self.ours(["bench", "alltoall"], "2", "--sizes", ",".join(map(str, rows))),
            lambda result: {rows[size]: {"": time} for size, time in sizes(result, "time_s").items()
                            if size in rows},
            [*self.mpi(2), f"{self.baselines}/mpi_alltoall", *map(str, rows)],
            lambda result: {rows[row["bytes"]]: {"": row["median_s"]} for row in result["rows"]})

    def latency(self):
        return Measurement(
            "latency", {"latency": Bar(2.5, far=1.8)},
            self.ours(["bench", "latency"], "2"),
            lambda result: {"latency": {"": sizes(result, "time_s")[8]}},
            [f"{self.baselines}/ping_pong"],
            lambda result: {"latency": {"one way": medians(result, "what")["one_way"]}})

    def ring(self):
        return Measurement(
            "ring", {"ring": Bar(0.8, at_most=False, unit="1/s")},
            self.ours(["bench", "rate", "--sizes", str(LONG_MESSAGE_BYTES)], "2"),
            lambda result: {"ring": {"": sizes(result, "packets_per_s")[LONG_MESSAGE_BYTES]}},
            [f"{self.baselines}/rings", "3"],
            lambda result: {"ring": {f"{row['ring']} of {row['slots']}": row["packets_per_s"]
                                     for row in result["rows"]}})

    def idle(self):
        return Measurement(
            "idle", {"idle": Bar(10e-9, absolute=True)},
            [self.toroid, "bench", "idle", "--json", "-"],
            lambda result: {"idle": {"": result["turn_s"]}})

    def information(self, name):
        """A baseline without a bar, for comparison with other rows."""
        program = f"{self.baselines}/{name.replace('-', '_')}"
        return Measurement(name, {name: None}, None, None, [*self.mpi(2), program],
                           lambda result: {name: {"": result["rows"][0]["median_s"]}})


def hidden(name, timings):
    """Figures of one run that measured blocking and non-blocking. Only the plane loop can hide communication."""
    blocking = timings["blocking"]
    most = min(blocking["plane_loop"], blocking["exposed"])
    return {name: {"": timings["ratio"]["total"]}, f"{name}-left": {"": timings["ratio"]["exposed"]},
            f"{name}-least": {"": 1 - most / blocking["total"]}}


def all_to_all_bar(size):
    near, far = ALL_TO_ALL_BARS.get(size, (None, None))
    return Bar(near, far=far)


def medians(result, key):
    return {row[key]: row["median_s"] for row in result["rows"]}


def sizes(result, key):
    return {entry["bytes"]: entry[key] for entry in result["sizes"]}
