"""What is compared with what, and the bars."""

from dataclasses import dataclass, field

from comparison.plans import KINDS

ALL_TO_ALL_BYTES = [256 << i for i in range(9)]  # per pair of ranks
LONG_MESSAGE_BYTES = 256 * 240  # full packets only: how fast they go through, not what a message costs
REPEATS = {64: 30, 128: 10, 256: 3}
REPEATS_OF_64_RANKS = {64: 10, 128: 5}


@dataclass
class Bar:
    limit: float
    at_most: bool = True  # of times; rates must be at least the limit
    absolute: bool = False  # the limit is for our value, not for the ratio to the rival's
    unit: str = "s"

    def passes(self, value):
        return value <= self.limit if self.at_most else value >= self.limit


@dataclass
class Measurement:
    """One pair of commands. What is read is {row: {variant: value}}; the better variant counts."""
    name: str
    bars: dict
    ours: list
    read_ours: object
    theirs: list = None
    read_theirs: object = None
    planned: bool = False  # FFTW: plan first, then give the kinds with their wisdom as arguments
    kinds: list = field(default_factory=lambda: list(KINDS))


class Rows:
    def __init__(self, toroid, flags, rivals):
        self.toroid, self.flags, self.rivals = toroid, flags, rivals

    def all(self):
        two = self.mpi(2)
        rows = [self.fft(f"fft-mpi2-{n}", n, "2x1x1", [*two, f"{self.rivals}/fftw_mpi"], bar)
                for n, bar in ((64, 1.0), (128, 1.0), (256, 0.7))]
        rows += [self.fft(f"fft-mpi64-{n}", n, "4x4x4", [*self.mpi(64), f"{self.rivals}/fftw_mpi"], 0.5,
                          REPEATS_OF_64_RANKS) for n in (64, 128)]
        rows += [self.fft(f"fft-threads-{n}", n, "2x1x1", [f"{self.rivals}/fftw_threads"], 1.3)
                 for n in (64, 128, 256)]
        return rows + [self.all_to_all(), self.latency(), self.ring(), self.idle(),
                       self.information("mpi-latency"), self.information("mpi-rate")]

    def mpi(self, ranks):
        if ranks == 2:
            return ["mpirun", "--bind-to", "core", "-n", "2"]
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]

    def ours(self, verb, torus, *more):
        return [self.toroid, *verb, "--fabric", "shm", "--threads", "2", "--torus", torus, *more,
                *self.flags, "--quiet", "--json", "-"]

    def fft(self, name, n, torus, program, bar, repeats=None):
        repeat = str((repeats or REPEATS)[n])
        threads = ["2"] if name.startswith("fft-threads") else []
        return Measurement(
            name, {name: Bar(bar)},
            self.ours(["fft"], torus, "--size", str(n), "--repeat", repeat),
            lambda result: {name: {"": result["time_s"]}},
            [*program, str(n), *threads, repeat],
            lambda result: {name: medians(result, "kind")}, planned=True)

    def all_to_all(self):
        rows = {size: f"alltoall-{size}" for size in ALL_TO_ALL_BYTES}
        return Measurement(
            "alltoall", {row: Bar(1.0) for row in rows.values()},
            self.ours(["bench", "alltoall"], "2"),
            lambda result: {rows[size]: {"": time} for size, time in sizes(result, "time_s").items()
                            if size in rows},
            [*self.mpi(2), f"{self.rivals}/mpi_alltoall", *map(str, rows)],
            lambda result: {rows[row["bytes"]]: {"": row["median_s"]} for row in result["rows"]})

    def latency(self):
        return Measurement(
            "latency", {"latency": Bar(4)},
            self.ours(["bench", "latency"], "2"),
            lambda result: {"latency": {"": sizes(result, "time_s")[8]}},
            [f"{self.rivals}/ping_pong"],
            lambda result: {"latency": {"one way": medians(result, "what")["one_way"]}})

    def ring(self):
        return Measurement(
            "ring", {"ring": Bar(0.5, at_most=False, unit="1/s")},
            self.ours(["bench", "rate", "--sizes", str(LONG_MESSAGE_BYTES)], "2"),
            lambda result: {"ring": {"": sizes(result, "packets_per_s")[LONG_MESSAGE_BYTES]}},
            [f"{self.rivals}/rings", "3"],
            lambda result: {"ring": {f"{row['ring']} of {row['slots']}": row["packets_per_s"]
                                     for row in result["rows"]}})

    def idle(self):
        return Measurement(
            "idle", {"idle": Bar(10e-9, absolute=True)},
            [self.toroid, "bench", "idle", "--json", "-"],
            lambda result: {"idle": {"": result["turn_s"]}})

    def information(self, name):
        """A rival without a bar, for what stands beside it."""
        program = f"{self.rivals}/{name.replace('-', '_')}"
        return Measurement(name, {name: None}, None, None, [*self.mpi(2), program],
                           lambda result: {name: {"": result["rows"][0]["median_s"]}})


def medians(result, key):
    return {row[key]: row["median_s"] for row in result["rows"]}


def sizes(result, key):
    return {entry["bytes"]: entry[key] for entry in result["sizes"]}
