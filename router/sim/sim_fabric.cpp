#include "router/sim/sim_fabric.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/checkpoint_archive.hpp"
#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/direction.hpp"
#include "hal/fabric_use.hpp"
#include "hal/packet.hpp"
#include "hal/processor.hpp"
#include "router/sim/block.hpp"
#include "router/sim/checkpoints.hpp"
#include "router/sim/deaths.hpp"
#include "router/sim/device.hpp"
#include "router/sim/event.hpp"
#include "router/sim/flight_memory.hpp"
#include "router/sim/network.hpp"
#include "router/sim/node_range.hpp"
#include "router/sim/parallel_run.hpp"
#include "router/termination/losses_report.hpp"
#include "router/termination/stall_report.hpp"
#include "router/termination/time_limit.hpp"

namespace toroid {
namespace {

using sim::Block;

class SimFabric final : public Fabric, private termination::StalledMachine, private SimSnapshot {
 public:
  SimFabric(const Shape& shape, const Machine& machine, SimOptions options)
      : deaths_(shape, options.routing.link_errors.limit),
        shape_(deaths_.shape()),
        machine_(machine),
        options_(std::move(options)),
        use_(shape_, Fabric::nodes()) {
    check_ranks();
    if (deaths_.may_happen() && options_.checkpoints != nullptr)
      throw BadInput("a run in which links or nodes may fail cannot be saved");
    if (options_.dma && !machine.has_dma_engine())
      throw BadInput(fmt::format("machine '{}' has no DMA engine", machine.name));
    const Rank blocks = sim_threads(shape_, options_);
    for (Rank b = 0; b < blocks; ++b)
      blocks_.emplace_back(shape_, machine_, options_.routing, options_.tying, range(b, blocks), b,
                           flights_, follower(), options_.dma);
  }

  const Shape& shape() const override { return shape_; }
  const Machine& machine() const override { return machine_; }
  std::vector<Rank> nodes() const override { return Fabric::nodes(); }
  Device& device(Rank rank) override {
    use_.check(rank);
    return block(rank).device(rank);
  }
  void attach(Rank rank, Processor& processor) override {
    use_.attach(rank);
    block(rank).attach(rank, processor);
  }
  void detach() override { use_.detach(); }
  const FabricCounters& counters() const override { return counters_; }

  void run() override {
    use_.run();
    const CpuShare counted(options_.cpu);
    if (options_.probe != nullptr) begin_samples();
    run_within_limits();
    throw_failure();
    if (packets_under_way() == 0) flights_.clear();
    sum_counters();
    const std::string report = termination::losses_report(
        shape_, counters_, stall_report(*this, fmt::format("at cycle {}", counters_.end)), "from");
    if (!report.empty()) throw RunFailed(report);
  }

 private:
  void check_ranks() const {
    if (!shape_.ranks().are_shared()) return;
    const auto refuse = [](std::string_view what) {
      throw BadInput(fmt::format("{} needs nodes with one rank each", what));
    };
    if (options_.dma) refuse("a DMA engine");
    if (machine_.coprocessor != 0) refuse("a coprocessor (coprocessor = 1)");
    if (options_.probe != nullptr) refuse("a recorded or traced run");
    if (options_.checkpoints != nullptr) refuse("a run that is saved");
    if (deaths_.may_happen()) refuse("a run in which links may fail");
  }

  /// The probe if blocks have to call it, otherwise null. The fabric itself takes the samples.
  SimProbe* follower() const {
    const bool follows = options_.probe != nullptr && options_.probe->follows_packets();
    return follows ? options_.probe : nullptr;
  }
  /// The nodes of one of `blocks` blocks, whose sizes differ by at most one. As ranks are
  /// consecutive, a block is a slab of the torus, cut across its first dimension.
  sim::Range range(std::uint64_t block, std::uint64_t blocks) const {
    const auto first = static_cast<Rank>(shape_.nodes() * block / blocks);
    return {first, static_cast<Rank>(shape_.nodes() * (block + 1) / blocks) - first};
  }
  Block& block(Rank rank) { return const_cast<Block&>(std::as_const(*this).block(rank)); }
  const Block& block(Rank rank) const {
    const auto holds = [rank](const Block& b) { return b.has(rank); };
    return *std::ranges::find_if(blocks_, holds);
  }

  void run_within_limits() {
    const termination::TimeLimit limit(
        options_.limit,
        [this](const std::string& when) {
          return termination::activity_report(*this, "the run did not end " + when);
        },
        [this](const std::string& text) {
          const std::lock_guard lock(overdue_mutex_);
          overdue_ = text;
        });
    if (options_.checkpoints != nullptr)
      run_in_segments(*options_.checkpoints);
    else if (deaths_.may_happen())
      run_among_deaths();
    else
      run_whole();
    if (options_.cycles > 0 && next() != sim::kNever)
      throw RunFailed(termination::activity_report(
          *this, fmt::format("the run did not end before cycle {}", options_.cycles)));
  }

  /// The cycle before which the run must end.
  Tick end() const { return options_.cycles > 0 ? options_.cycles : sim::kNever; }

  void throw_if_overdue() {
    const std::lock_guard lock(overdue_mutex_);
    if (!overdue_.empty()) throw RunFailed(overdue_);
  }

  void start() {
    for (Block& block : blocks_) block.start();
  }

  void run_whole() {
    start();
    run_before(end());
  }

  void run_among_deaths() {
    start();
    for (Tick next = this->next(); next < end(); next = this->next())
      deaths_.due() <= next ? deaths_.happen(blocks_, next)
                            : run_before(std::min(deaths_.due(), end()));
  }

  void run_in_segments(SimCheckpoints& checkpoints) {
    TOROID_CHECK(options_.probe == nullptr);
    const SimCheckpoints::State state = [this](Archive& archive) { serialize(archive); };
    if (!checkpoints.try_resume(state)) start();
    for (Tick next = this->next(); next < this->end();) {
      const Tick end = std::min(checkpoints.end_of_segment(next), this->end());
      TOROID_CHECK_LT(next, end);
      run_before(end);
      next = this->next();
      if (next < this->end()) checkpoints.between_segments(end, state);
    }
  }

  /// The next cycle in which something happens; kNever if nothing is left or a node has failed.
  Tick next() const {
    Tick next = sim::kNever;
    for (const Block& block : blocks_) {
      if (block.failure()) return sim::kNever;
      next = std::min(next, block.next());
    }
    return next;
  }

  void serialize(Archive& archive) {
    archive(flights_);
    for (Block& block : blocks_) block.serialize(archive);
    if (!archive.loads()) return;
    for (const Block& block : blocks_) {
      next_progress_ += block.counts().events;
      resumed_from_ += block.counts().delivered;
    }
  }

  /// Runs the cycles before `end`.
  void run_before(Tick end) {
    blocks_.size() > 1 ? run_together(end) : run_alone(blocks_.front(), end);
  }

  void run_together(Tick end) {
    const bool spins = blocks_.size() <= std::thread::hardware_concurrency();
    const auto watch = [this](const Block::Counts& counts) { report_progress(counts); };
    sim::ParallelRun(blocks_, sim::lookahead(machine_), spins, watch, options_.cpu, end).run();
  }

  void run_alone(Block& block, Tick end) {
    while (block.next() < end && !block.failure()) {
      take_samples(block.next());
      block.run(std::min(next_sample_, end), next_look(block));
      report_progress(block.counts());
    }
  }

  /// The number of events after which the fabric looks at the run again. Events may take long, so
  /// a run with a limit is looked at more often.
  std::uint64_t next_look(const Block& block) const {
    constexpr std::uint64_t kEventsPerLook = 1024;
    return options_.limit.count() > 0
               ? std::min(next_progress_, block.counts().events + kEventsPerLook)
               : next_progress_;
  }

  void begin_samples() {
    sample_every_ = options_.probe->sample_every();
    TOROID_CHECK_LT(0u, sample_every_);
    if (sample_every_ != SimProbe::kNoSamples) next_sample_ = 0;
  }

  void take_samples(Tick now) {
    for (; next_sample_ <= now; next_sample_ += sample_every_) {
      sampled_ = next_sample_;
      counted_.links.clear();
      options_.probe->on_sample(next_sample_, *this);
    }
  }

  void report_progress(const Block::Counts& counts) {
    if (options_.limit.count() > 0) throw_if_overdue();
    if (counts.events < next_progress_) return;
    next_progress_ = counts.events + kEventsPerReport;
    if (options_.progress) options_.progress({counts.end, counts.delivered, resumed_from_});
  }

  void throw_failure() const {
    const sim::Failure* first = nullptr;
    for (const Block& block : blocks_)
      if (block.failure() && (first == nullptr || block.failure()->before(*first)))
        first = &*block.failure();
    if (first != nullptr) std::rethrow_exception(first->error);
  }

  void sum_counters() {
    for (const Block& block : blocks_) counters_.end = std::max(counters_.end, block.counts().end);
    counters_.links.reserve(std::size_t{shape_.nodes()} * shape_.links());
    counters_.fifos.reserve(std::size_t{shape_.nodes()} * machine_.injection_fifos);
    for (const Block& block : blocks_) block.add_to(counters_, counters_.end);
    leave_out_unused_priority(counters_, machine_, shape_.nodes());
    counters_.links_are_checked = options_.routing.link_errors.are_checked();
    for (const LinkHealth& link : counters_.health) counters_.link_errors.add(link);
    if (deaths_.may_happen()) deaths_.add_to(counters_, blocks_);
  }

  // For the report of a run that cannot go on.
  unsigned inputs() const override { return blocks_.front().network().inputs(); }
  std::optional<RoutedPacket> head(Rank node, Input input) const override {
    return block(shape_.ranks().rank(node, 0)).network().head(node, input);
  }
  const Processor& processor(Rank node) const override {
    return *block(node).device(node).processor();
  }
  std::uint64_t packets_under_way() const override {
    std::uint64_t alive = 0;
    for (const Block& block : blocks_) alive += block.network().flights_alive();
    return alive;
  }

  // For probes, whose runs have one block. The fast model stores its counters in a different form.
  std::span<const LinkCounters> links() const override {
    const sim::Network& network = blocks_.front().network();
    if (const auto kept = network.link_counters(); !kept.empty()) return kept;
    if (counted_.links.empty()) network.add_to(counted_);
    return counted_.links;
  }
  const InjectionFifos& fifos(Rank node) const override { return block(node).device(node).fifos(); }
  unsigned received(Rank node) const override {
    const Block& of_node = block(node);
    return of_node.network().reception().used(node - of_node.range().first);
  }
  std::uint64_t queued(Rank node) const override {
    return block(node).device(node).processor()->queued();
  }
  FifoCounters fifo_counters(Rank node, unsigned fifo) const override {
    return block(node).fifo_counters(sampled_, node, fifo);
  }
  unsigned waiting(Rank node, Direction travelling, VirtualChannel channel) const override {
    return block(node).network().used(node, Input::channel(travelling, channel));
  }

  static constexpr std::uint64_t kEventsPerReport = 1u << 20;  ///< number of events between
                                                               ///< progress reports

  sim::Deaths deaths_;
  Shape shape_;
  Machine machine_;
  SimOptions options_;
  sim::FlightMemory flights_;
  std::deque<Block> blocks_;  ///< in ascending order; blocks never move in memory
  FabricCounters counters_;
  FabricUse use_;
  std::uint64_t next_progress_ = 0;
  std::mutex overdue_mutex_;
  std::string overdue_;  ///< guarded by the mutex: the report of a run that took too long
  std::uint64_t resumed_from_ = 0;  ///< packets that had been delivered when the run was resumed
  Tick sample_every_ = SimProbe::kNoSamples;
  Tick next_sample_ = SimProbe::kNoSamples;
  Tick sampled_ = 0;                ///< the cycle of the present sample
  mutable FabricCounters counted_;  ///< has links only; empty if the present sample has not asked
                                    ///< for them
};

}  // namespace

std::unique_ptr<Fabric> make_sim_fabric(const Shape& shape, const Machine& machine,
                                        SimOptions options) {
  return std::make_unique<SimFabric>(shape, machine, std::move(options));
}

unsigned sim_threads(const Shape& shape, const SimOptions& options) {
  return options.probe == nullptr ? std::clamp(options.threads, 1u, shape.nodes()) : 1;
}

}  // namespace toroid
