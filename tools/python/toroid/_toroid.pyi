"""Types of the C++ module."""

from typing import Any, Callable, List, Optional, Sequence, Tuple

__version__: str
git_hash: str

class BadInput(ValueError): ...
class RunFailed(RuntimeError): ...
class PolicyError(RunFailed): ...

class Machine:
    name: str
    given: str
    clock_hz: float
    link_bits_per_cycle: float
    wire_overhead_bytes: int
    hop_latency_cycles: int
    dynamic_vc_chunks: int
    bubble_vc_chunks: int
    priority_vc_chunks: int
    bubble_reserve_chunks: int
    injection_fifos: int
    priority_injection_fifos: int
    injection_fifo_chunks: int
    reception_fifos: int
    priority_reception_fifos: int
    reception_fifo_chunks: int
    arbitration_period: int
    arbitration_fullest: int
    both_hints: int
    tie_choice: int
    arbitration_choice: int
    input_reads: int
    token_return_cycles: int
    escape_wait_cycles: int
    inject_cycles: int
    receive_cycles: int
    fft_cycles_factor: float
    transpose_cycles: float
    fma_cycles: float
    coprocessor: int
    memory_packet_cycles: int
    dma_descriptor_cycles: int
    dma_inject_cycles: int
    dma_receive_cycles: int
    message_cycles: int
    message_packet_cycles: int
    collective_cycles: int
    copy_cycles_per_byte: float
    eager_bytes: int
    link_error_rate: float
    link_timeout_cycles: int
    ring_slots: int
    def __init__(self, name: str = ...) -> None: ...

class Shape:
    size: int
    nodes: int
    dims: int
    extents: Tuple[int, ...]
    wraps: Tuple[bool, ...]
    directions: List[str]
    text: str
    @property
    def has_failures(self) -> bool: ...
    def __init__(self, text: str, mesh: bool = ..., failed_links: Sequence[str] = ...,
                 failed_nodes: Sequence[str] = ...) -> None: ...
    def __len__(self) -> int: ...
    def coord(self, rank: Any) -> Any: ...
    def rank(self, coord: Any) -> Any: ...
    def hops(self, source: Any, destination: Any) -> Any: ...
    def minimal_directions(self, source: int, destination: int, tie: str = ...,
                           seed: int = ...) -> List[str]: ...
    def neighbour(self, rank: int, direction: str) -> Optional[int]: ...
    def route(self, source: int, destination: int, tie: str = ..., seed: int = ...) -> List[int]: ...

class PlanRun:
    is_closed: bool
    is_forked: bool
    processes_share: bool
    def __init__(self, shape: Shape, fabric: str, machine: Machine, policy: str, description: dict) -> None: ...
    def check_open(self) -> None: ...
    def call(self, forward: bool) -> None: ...
    def close(self) -> None: ...
    def cancel(self) -> None: ...
    def blocks(self, input: bool) -> List[Tuple[int, List[int], List[int], Any]]: ...
    def extents(self, input: bool) -> Tuple[int, ...]: ...
    def dtype(self, input: bool) -> Any: ...

def run_command(words: List[str], policies: dict, input: Any, batched: bool, records: bool,
                progress: Optional[Callable[[str], None]]) -> dict: ...
def all_to_all_bounds(shape: Shape, bytes: int, machine: Machine) -> dict: ...
def hottest_link_messages(shape: Shape) -> float: ...
def message_cost(machine: Machine, bytes: int) -> Tuple[int, int]: ...
def diameter(shape: Shape) -> int: ...
def usable_links(shape: Shape) -> int: ...
