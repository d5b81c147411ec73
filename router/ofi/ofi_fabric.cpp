#include "router/ofi/ofi_fabric.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/counters.hpp"
#include "hal/device.hpp"
#include "hal/fabric_use.hpp"
#include "hal/processor.hpp"
#include "router/job/blob.hpp"
#include "router/job/key.hpp"
#include "router/ofi/agreement.hpp"
#include "router/ofi/dev_shm_cleanup.hpp"
#include "router/ofi/direct_gateway.hpp"
#include "router/ofi/endpoint.hpp"
#include "router/ofi/faulty_transport.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/frame_buffers.hpp"
#include "router/ofi/frame_flow.hpp"
#include "router/ofi/frame_flow_health.hpp"
#include "router/ofi/gateway.hpp"
#include "router/ofi/host_share.hpp"
#include "router/ofi/libfabric.hpp"
#include "router/ofi/node_counters.hpp"
#include "router/ofi/provider_choice.hpp"
#include "router/ofi/providers.hpp"
#include "router/ofi/torus_gateway.hpp"
#include "router/ofi/transport.hpp"
#include "router/placement/host_topology.hpp"
#include "router/placement/process_partition.hpp"
#include "router/rules/routing.hpp"
#include "router/shm/device.hpp"
#include "router/shm/devices_and_rings.hpp"
#include "router/shm/direct/direct_device.hpp"
#include "router/shm/direct/switch_topology.hpp"
#include "router/shm/shared_device_state.hpp"
#include "router/shm/torus/boundary_links.hpp"
#include "router/shm/worker_pool.hpp"
#include "router/termination/detector.hpp"
#include "router/termination/failure.hpp"
#include "router/termination/run_control.hpp"
#include "router/termination/silence_notice.hpp"
#include "router/termination/stall_report.hpp"
#include "router/termination/time_limit.hpp"

namespace toroid {
namespace {

using ofi::FlowIdentity;
using termination::Verdict;

/// Time from an error of the transport to the failure of the run. Meanwhile the job's own
/// connections may find out what has happened to the peer.
constexpr std::chrono::milliseconds kErrorLasts{1500};
constexpr std::chrono::milliseconds kWatchPeriod{50};
constexpr std::chrono::milliseconds kTimeToHear{300};  ///< for a failure to reach the others
/// Time for processes to open each other's memory, all of which exists.
constexpr std::chrono::seconds kMeeting{30};

/// The processes with which process `self` exchanges packets, ascending.
std::vector<unsigned> peers_of(unsigned self, const Shape& shape, const Partition& partition,
                               RingRoute route) {
  if (route == RingRoute::direct) {
    std::vector<unsigned> others(partition.processes());
    std::iota(others.begin(), others.end(), 0u);
    others.erase(others.begin() + self);
    return others;
  }
  std::set<unsigned> peers;
  for (const Rank node : partition.nodes(self))
    for (unsigned l = 0; l < shape.links(); ++l)
      if (const auto next = shape.neighbour(node, {static_cast<std::uint8_t>(l)}))
        peers.insert(partition.owner(*next));
  peers.erase(self);
  return {peers.begin(), peers.end()};
}

std::string message_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  } catch (...) {
    return termination::text_of(failure);
  }
}

class OfiFabric final : public Fabric, private termination::StalledMachine, private RunMonitor {
 public:
  OfiFabric(Job& job, const Shape& shape, const Machine& machine, Placement placement,
            OfiOptions options)
      : job_(job),
        partition_(shape, job.size()),
        shared_{shape, machine, options.ring.tying, ring::WallClock(machine),
                ring::LocalNodes(shape, partition_.nodes(job.rank()))},
        use_(shared_.shape, partition_.nodes(job.rank())),
        placement_(checked(std::move(placement), shape, partition_.nodes(job.rank()))),
        options_(std::move(options)),
        peers_(peers_of(job.rank(), shape, partition_, options_.ring.route)),
        control_(placement_.workers.size(), options_.ring.stall, false),
        member_(control_) {
    shared_.control = &control_;
    for (unsigned p = 0; p < job.size(); ++p) job.set_place(p, partition_.text(p));
    provider_ = ofi::choose_provider(job, options_, placement_.workers.front(),
                                     [this](const ofi::Candidate& provider) { open(provider); });
    faulty_ = faulty_transport();
    try {
      exchange_contacts();
    } catch (const std::exception& error) {
      job_.fail(error.what());
      let_others_hear();
      throw;
    }
    wire_up();
    pool_.emplace(*topology_, placement_, control_, options_.ring.cpu, gateway_.get());
  }

  const Shape& shape() const override { return shared_.shape; }
  std::vector<Rank> nodes() const override { return partition_.nodes(job_.rank()); }
  const Machine& machine() const override { return shared_.machine; }
  Device& device(Rank rank) override {
    use_.check(rank);
    return topology_->device(rank);
  }
  void attach(Rank rank, Processor& processor) override {
    use_.attach(rank);
    topology_->device(rank).attach(processor);
  }
  void detach() override { use_.detach(); }
  const FabricCounters& counters() const override { return counters_; }
  OfiTransport transport() const {
    const bool writes = provider_.writes && !peers_.empty();
    return {provider_.name, writes ? FrameWay::writes : FrameWay::messages,
            ofi::FrameBuffers::bytes_per_peer(buffers_->limits())};
  }

  void run() override {
    use_.run();
    TOROID_CHECK(options_.on_loss == OnLoss::fail ||
                 (options_.ring.route == RingRoute::direct && !is_checked()));
    run_workers();
    if (interruption_ || verdict_ != Verdict::quiescent) release_memory();
    if (interruption_) std::rethrow_exception(interruption_);
    if (verdict_ == Verdict::failed) throw RunFailed(failure());
    gather_counters();
    throw_if_stalled();
  }

 private:
  /// Runs the workers. The job asks this fabric for reports until the workers have ended, even if
  /// that is because of an exception.
  void run_workers() {
    struct Watched {
      Job& job;
      ~Watched() { job.end_watch(); }
    } watched{job_};
    const termination::TimeLimit limit(
        options_.ring.limit,
        [this](const std::string& when) {
          return termination::activity_report(*this, "the run did not end " + when);
        },
        [this](const std::string& text) { job_.fail(text); });
    pool_->run([this] { start_together(); }, [this] { watch(); });
  }

  /// Stops remote reads and writes. Otherwise the network could still access the nodes' arrays
  /// after run() has returned, when they belong to their owners again.
  void release_memory() {
    gateway_->abandon();
    let_others_hear();
    endpoint_->close();
  }

  bool is_checked() const { return options_.ring.routing.link_errors.are_checked(); }
  std::unique_ptr<ofi::FaultyTransport> faulty_transport() {
    if (!is_checked()) return nullptr;
    return std::make_unique<ofi::FaultyTransport>(*endpoint_, options_.ring.routing.link_errors,
                                                  options_.ring.routing.link_seed, job_.rank(),
                                                  job_.size());
  }

  unsigned peers() const { return static_cast<unsigned>(peers_.size()); }
  std::vector<unsigned> peers_of_process(unsigned process) const {
    return peers_of(process, shape(), partition_, options_.ring.route);
  }

  /// The limits of all flows. They are equal on all processes, because processes write into each
  /// other's buffers.
  ofi::FlowLimits limits(const ofi::Candidate& provider) const {
    std::size_t most = 0;
    for (unsigned p = 0; p < job_.size(); ++p) most = std::max(most, peers_of_process(p).size());
    ofi::FlowLimits limits = ofi::FrameBuffers::limits_for(static_cast<unsigned>(most),
                                                           provider.frame_bytes, is_checked());
    limits.suspect_after = options_.suspect_after;
    if (ofi::stays_in_memory(provider.name) && !is_checked()) limits.crc = ofi::CrcScope::tables;
    return limits;
  }

  /// Opens this process's endpoint, in place of another provider's.
  void open(const ofi::Candidate& provider) {
    endpoint_.reset();
    buffers_.emplace(peers(), limits(provider));
    std::string segment;
    if (ofi::stays_in_memory(provider.name))
      segment = ofi::new_shared_file_name(job_.session(), job_.rank());
    endpoint_.emplace(provider, *buffers_, std::move(segment));
  }

  /// Whether frames go through memory that this process shares with others.
  bool shares_memory() const { return ofi::stays_in_memory(provider_.name) && job_.size() > 1; }

  /// Gives the others time to hear that the job has failed, and to stop, before this process closes
  /// its endpoint. libfabric 1.17 crashes where it finds a message of an endpoint in shared memory
  /// that has been closed.
  void let_others_hear() const {
    if (shares_memory()) std::this_thread::sleep_for(kTimeToHear);
  }

  /// Exchanges endpoint addresses, and a number drawn by process 0 that distinguishes this run from
  /// others of the same job.
  void exchange_contacts() {
    const ofi::Contact mine = endpoint_->contact();
    const auto addresses = job_.all_gather(mine.address);
    const auto places = job_.all_gather(blob_of(std::array{mine.memory, mine.key, random_word()}));
    run_ = value_of<std::array<std::uint64_t, 3>>(places.front())[2];
    std::vector<ofi::Peer> peers(job_.size());
    for (const unsigned p : peers_) {
      if (addresses[p].empty()) throw RunFailed(job_.name(p) + " sent no address");
      const auto [memory, key, drawn] = value_of<std::array<std::uint64_t, 3>>(places[p]);
      peers[p] = {{addresses[p], memory, key}, window_at(p)};
    }
    endpoint_->insert(peers);
    endpoint_->meet(peers_, [this, until = ofi::Clock::now() + kMeeting] {
      if (const std::string failure = job_.failure(); !failure.empty()) throw RunFailed(failure);
      if (ofi::Clock::now() > until)
        throw RunFailed("no answer over " + provider_.name + ofi::user_settings());
      std::this_thread::yield();
    });
    // Nobody closes its endpoint while another one still meets it.
    if (shares_memory()) job_.all_gather({});
  }

  /// FrameBuffers::window_index() of this process among the buffers of `process`, where the peers
  /// of `process` are in ascending order.
  std::uint32_t window_at(unsigned process) const {
    const auto theirs = peers_of_process(process);
    const auto place = std::ranges::lower_bound(theirs, job_.rank()) - theirs.begin();
    return ofi::FrameBuffers::window_index(static_cast<unsigned>(place), buffers_->limits());
  }

  std::uint64_t token(unsigned from, unsigned to) const {
    const std::array<std::uint64_t, 4> what = {job_.session(), run_, from, to};
    return job_.key().token("frames", std::as_bytes(std::span(what)));
  }

  void wire_up() {
    std::vector<FlowIdentity> identities;
    const unsigned self = job_.rank();
    ofi::Transport& transport =
        faulty_ != nullptr ? static_cast<ofi::Transport&>(*faulty_) : *endpoint_;
    for (const unsigned peer : peers_)
      identities.push_back({self, peer, token(self, peer), token(peer, self)});
    if (options_.ring.route == RingRoute::torus) {
      topology_ = ring::make_torus_topology(shared_, options_.ring.routing, &boundary_);
      gateway_ = std::make_unique<ofi::TorusGateway>(transport, *buffers_, identities, shared_,
                                                     partition_, boundary_);
    } else {
      auto gateway = std::make_unique<ofi::DirectGateway>(transport, *buffers_, identities, shared_,
                                                          partition_, placement_);
      topology_ = std::make_unique<ring::SwitchTopology>(
          shared_, placement_,
          [&](const ring::SwitchPlug& plug) { return gateway->make_device(plug); });
      gateway_ = std::move(gateway);
    }
  }

  /// Waits for all processes, then starts this process's clock at the origin that process 0 has set
  /// for all.
  void start_together() {
    using std::chrono::steady_clock;
    const auto now = steady_clock::now().time_since_epoch() + job_.clock_offset();
    const auto origins = job_.all_gather(blob_of(now));
    const auto origin = value_of<steady_clock::duration>(origins.front()) - job_.clock_offset();
    shared_.clock.start(steady_clock::time_point(origin));
    job_.watch(*this, options_.ring.stall, options_.on_loss);
  }

  /// Returns when there is a verdict. The calling thread sleeps and checks every kWatchPeriod.
  void watch() {
    termination::SilenceNotice notice(options_.ring.stall, options_.ring.notice);
    try {
      while ((verdict_ = job_.wait(kWatchPeriod)) == Verdict::none) {
        if (options_.ring.watch) options_.ring.watch(control_.received());
        notice.look(control_, *this);
        if (const auto failure = control_.failure()) job_.fail(message_of(failure));
        if (const auto error = lasting_error()) job_.fail(*error);
      }
    } catch (...) {
      interruption_ = std::current_exception();
      job_.fail(message_of(interruption_));
      verdict_ = Verdict::failed;
    }
    control_.end(verdict_);
  }

  std::optional<std::string> lasting_error() const {
    const auto error = gateway_->transport_error();
    if (!error || ofi::Clock::now() - error->since < kErrorLasts) return std::nullopt;
    return fmt::format("{} cannot be reached over {}: {}", job_.name(error->peer), provider_.name,
                       error->what + ofi::user_settings());
  }

  std::string failure() const {
    std::string text = job_.failure();
    // A setting of libfabric may be why an answer does not come.
    if (text.find("gets no answer") != std::string::npos) text += ofi::user_settings();
    for (const auto& [reason, frames] : refused_frames())
      text += fmt::format("; frames refused here, {}: {}", reason, frames);
    return text;
  }

  /// Reads first the packets sent to lost processes, then the workers' counts, then the packets
  /// received from lost processes. In this order the packets in flight may be overestimated, never
  /// underestimated.
  termination::MemberReport report() override {
    const ofi::ClosedFlows before = gateway_->closed();
    termination::MemberReport report = member_.report();
    report.without = before.peers;
    report.injected -= before.sent;
    report.delivered -= gateway_->closed().received;
    report.suspect = gateway_->suspect();
    return report;
  }

  void lose(unsigned process) override { gateway_->lose(process); }

  std::map<std::string, std::uint64_t> refused_frames() const {
    std::map<std::string, std::uint64_t> frames;
    const ofi::RefusedFrames refused = gateway_->refused();
    for (std::size_t e = 0; e < refused.size(); ++e)
      if (refused[e] > 0) frames[std::string(ofi::kFrameErrorNames[e])] = refused[e];
    if (const auto count = job_.refused(); count > 0) frames["connection without the key"] = count;
    return frames;
  }

  void gather_counters() {
    ofi::NodeCounters mine{.end = shared_.clock.now(), .refused_frames = refused_frames()};
    for (const Rank r : nodes()) mine.add(r, topology_->device(r));
    counters_ = ofi::merged(shape(), job_.gather(mine.pack()));
    if (job_.rank() != 0) counters_ = ofi::merged(shape(), {mine.pack()});
    leave_out_unused_priority(counters_, machine(), shape().size());
    if (is_checked()) gather_health();
  }

  /// Collects the health of the frames between processes and of the links within each process.
  void gather_health() {
    LinkErrorCounters mine;
    for (const LinkHealth& link : topology_->health()) mine.add(link);
    counters_.links_are_checked = true;
    const auto within = job_.gather(std::as_bytes(std::span(&mine, 1)));
    const auto packed = job_.gather(ofi::pack(gateway_->health()));
    if (job_.rank() != 0) return;
    for (const Blob& links : within) counters_.link_errors += value_of<LinkErrorCounters>(links);
    for (const LinkHealth& way : ofi::unpack_and_judge(packed)) counters_.link_errors.add(way);
  }

  /// If the run has stalled or programs wait for ever, throws RunFailed on every process, with the
  /// same text: the reports of all processes.
  void throw_if_stalled() {
    const bool stalled = verdict_ == Verdict::stalled;
    if (!stalled && !job_.losses().empty()) return;
    const std::string when =
        stalled ? fmt::format("for {:.1f} s",
                              std::chrono::duration<double>(options_.ring.stall).count())
                : "for ever";
    const std::string mine = stall_report(*this, when);
    const auto reports = job_.all_gather(std::as_bytes(std::span(mine)));
    std::string text;
    for (unsigned p = 0; p < job_.size(); ++p)
      if (!reports[p].empty())
        text += (text.empty() ? "" : "; ") + job_.name(p) + ": " + text_of(reports[p]);
    if (!text.empty()) throw RunFailed(text);
    if (stalled)
      throw RunFailed("the run stalled " + when + ": packets between processes do not arrive");
  }

  // Used by stall_report().
  unsigned inputs() const override { return topology_->inputs(); }
  std::optional<RoutedPacket> head(Rank node, Input input) const override {
    return topology_->head(node, input);
  }
  const Processor& processor(Rank rank) const override {
    return *std::as_const(*topology_).device(rank).processor();
  }
  /// Number of packets that wait at the heads of inputs in this process.
  std::uint64_t packets_under_way() const override {
    std::uint64_t waiting = 0;
    for (const Rank r : nodes())
      for (unsigned s = 0; s < inputs(); ++s) waiting += head(r, Input(s)).has_value() ? 1 : 0;
    return waiting;
  }

  Job job_;  ///< destroyed last
  Partition partition_;
  ring::SharedDeviceState shared_;
  FabricUse use_;
  Placement placement_;
  OfiOptions options_;
  std::vector<unsigned> peers_;
  std::uint64_t run_ = 0;
  ofi::Candidate provider_;
  std::optional<ofi::FrameBuffers> buffers_;
  std::optional<ofi::Endpoint> endpoint_;
  std::unique_ptr<ofi::FaultyTransport> faulty_;  ///< null if links are not checked
  ring::BoundaryLinks boundary_;
  std::unique_ptr<ofi::Gateway> gateway_;
  std::unique_ptr<ring::DevicesAndRings> topology_;
  termination::RunControl control_;
  termination::ProcessMember member_;
  std::optional<ring::WorkerPool> pool_;
  FabricCounters counters_;
  Verdict verdict_ = Verdict::none;
  std::exception_ptr interruption_;  ///< the exception of the watch callback
};

/// Makes the fabric if all processes make the same one. Places the workers itself if there is no
/// placement.
std::unique_ptr<OfiFabric> agreed_fabric(Job& job, const Shape& shape, const Machine& machine,
                                         std::optional<Placement> placement, OfiOptions options,
                                         OfiTransport* transport) try {
  ofi::refuse_different(job, {shape, machine, options, !placement});
  if (shape.ranks().are_shared())
    throw BadInput(
        fmt::format("torus {}: several ranks per node run on sim and shm", shape.text()));
  if (!placement)
    placement = place_beside_others(job, HostTopology::of_this_machine(), shape, 0, Binding::core);
  auto fabric =
      std::make_unique<OfiFabric>(job, shape, machine, *std::move(placement), std::move(options));
  if (transport != nullptr) *transport = fabric->transport();
  return fabric;
} catch (const BadInput&) {
  throw;  // all processes throw it
} catch (const std::exception& error) {
  job.fail(error.what());
  throw;
}

}  // namespace

std::unique_ptr<Fabric> make_ofi_fabric(Job& job, const Shape& shape, const Machine& machine,
                                        Placement placement, OfiOptions options,
                                        OfiTransport* transport) {
  return agreed_fabric(job, shape, machine, std::move(placement), std::move(options), transport);
}

std::unique_ptr<Fabric> make_ofi_fabric(Job& job, const Shape& shape, const Machine& machine,
                                        OfiOptions options, OfiTransport* transport) {
  return agreed_fabric(job, shape, machine, std::nullopt, std::move(options), transport);
}

std::unique_ptr<Fabric> make_ofi_fabric(const Shape& shape, const Machine& machine,
                                        OfiOptions options, OfiTransport* transport) {
  Job job = join_job();
  return agreed_fabric(job, shape, machine, std::nullopt, std::move(options), transport);
}

}  // namespace toroid
