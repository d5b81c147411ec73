#include "tools/report/trace_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hal/direction.hpp"
#include "hal/tick.hpp"

namespace toroid {
namespace {

/// Maximum bytes of an event without the names of nodes in it.
constexpr std::size_t kSliceBytes = 230;
constexpr std::size_t kNameBytes = 100;

/// Bytes of a coordinate such as "(255,255,...)".
std::size_t coordinate_bytes(const Shape& shape) {
  return 2 + 4 * std::size_t{shape.dims()};
}

/// Writes events as long as there is room for them.
class TraceWriter {
 public:
  TraceWriter(std::ostream& out, const TraceFile& file, const Recording& recording)
      : out_(out), file_(file), shape_(file.shape), recording_(recording) {}

  void write(const Tracer& tracer) {
    head(tracer);
    for (const TraceSlice& slice : tracer.slices()) event(slice_text(slice));
    names(tracer);
    counters();
    out_ << "\n]}\n";
  }

 private:
  std::string time(Tick tick) const {
    return fmt::format("{:.4f}", static_cast<double>(tick) / file_.machine.clock_hz * 1e6);
  }
  static std::uint64_t process(Rank node) { return std::uint64_t{node} + 1; }
  /// The number of a track. Viewers identify threads by this number alone, so it is unique among
  /// all threads and processes.
  std::uint64_t thread(Rank node, unsigned track) const {
    return std::uint64_t{shape_.size()} + 1 + std::uint64_t{node} * TraceSlice::kTracks + track;
  }
  std::string place(Rank node, unsigned track) const {
    return fmt::format(R"("pid":{},"tid":{})", process(node), thread(node, track));
  }

  bool has_room(std::size_t more) const { return written_ + more + 16 <= file_.file_bytes; }
  void raw(const std::string& text) {
    out_ << text;
    written_ += text.size();
  }
  void event(const std::string& text) {
    if (!has_room(text.size() + 2)) return;
    raw(first_ ? "\n" : ",\n");
    raw(text);
    first_ = false;
  }

  void head(const Tracer& tracer) {
    raw(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"torus":"{}","complete":{},)"
                    R"("one_packet_in":{},"limit_bytes":{}}},"traceEvents":[)",
                    shape_.text(), file_.complete, tracer.one_in(), file_.file_bytes));
  }

  /// The JSON of a slice: the stay of a packet at one place. `bind_id` joins the stays of a packet
  /// in a flow, which begins in the injection FIFO and ends at delivery.
  std::string slice_text(const TraceSlice& slice) const {
    const bool first = slice.track >= TraceSlice::kFifo && slice.track < TraceSlice::kDelivered;
    const bool last = slice.track == TraceSlice::kDelivered;
    return fmt::format(
        R"({{"ph":"X","ts":{},"dur":{},{},"name":"{} to {}","args":{{"packet":{},"chunks":{}}},)"
        R"("bind_id":"0x{:x}"{}{}}})",
        time(slice.begin), time(slice.cycles), place(slice.node, slice.track),
        shape_.coord_text(slice.source), shape_.coord_text(slice.destination), slice.serial,
        slice.chunks, slice.serial + 1, first ? "" : R"(,"flow_in":true)",
        last ? "" : R"(,"flow_out":true)");
  }

  static std::string track_name(unsigned track) {
    if (track == TraceSlice::kDelivered) return "delivered";
    if (track >= TraceSlice::kFifo) return fmt::format("FIFO {}", track - TraceSlice::kFifo);
    return "link " + Direction{static_cast<std::uint8_t>(track)}.name();
  }

  /// Writes names of nodes and tracks that have slices.
  void names(const Tracer& tracer) {
    std::set<Rank> nodes;
    std::set<std::pair<Rank, unsigned>> tracks;
    for (const TraceSlice& slice : tracer.slices()) {
      nodes.insert(slice.node);
      tracks.insert({slice.node, slice.track});
    }
    for (const Rank node : nodes)
      event(
          fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"node {}"}}}})",
                      process(node), shape_.coord_text(node)));
    for (const auto& [node, track] : tracks)
      event(fmt::format(R"({{"ph":"M",{},"name":"thread_name","args":{{"name":"{}"}}}})",
                        place(node, track), track_name(track)));
  }

  Tick sample_begin(std::size_t sample) const { return sample * recording_.interval; }

  void counters() {
    event(R"({"ph":"M","pid":0,"name":"process_name","args":{"name":"all nodes"}})");
    for (std::size_t s = 0; s < recording_.samples(); ++s) event(mean_text(s));
    std::size_t least = 0;  // most bytes that the counters of a node have taken so far
    for (Rank node = 0; node < shape_.size(); ++node) {
      if (least > 0 && !has_room(2 * least)) return;
      const std::uint64_t before = written_;
      for (std::size_t s = 0; s < recording_.samples(); ++s) event(node_text(s, node));
      least = std::max<std::size_t>(least, written_ - before);
    }
  }

  std::string links_text(const std::vector<double>& busy) const {
    std::string text;
    for (unsigned d = 0; d < shape_.links(); ++d)
      text += fmt::format(R"({}"{}":{:.1f})", d == 0 ? "" : ",",
                          Direction{static_cast<std::uint8_t>(d)}.name(), busy[d] * 100 / 255);
    return text;
  }

  std::string counter_text(std::size_t sample, std::uint64_t pid, const std::vector<double>& busy,
                           double chunks) const {
    const std::string at =
        fmt::format(R"("ph":"C","ts":{},"pid":{})", time(sample_begin(sample)), pid);
    return fmt::format(
        "{{{},\"name\":\"links busy, %\",\"args\":{{{}}}}},\n"
        "{{{},\"name\":\"injection FIFOs, chunks\",\"args\":{{\"all\":{:.1f}}}}}",
        at, links_text(busy), at, chunks);
  }

  /// Converts a byte from 0 to 255 to chunks in all FIFOs of a node.
  double chunks_of(double quantised) const {
    return quantised / 255 * recording_.fifo_chunks * recording_.fifos;
  }

  std::string node_text(std::size_t sample, Rank node) const {
    const std::size_t at = sample * recording_.links() + std::size_t{node} * shape_.links();
    const std::vector<double> busy(
        recording_.link_busy.begin() + static_cast<std::ptrdiff_t>(at),
        recording_.link_busy.begin() + static_cast<std::ptrdiff_t>(at + shape_.links()));
    return counter_text(sample, process(node), busy,
                        chunks_of(recording_.fifo_fill[sample * shape_.size() + node]));
  }

  /// A sample's counters: means over all nodes.
  std::string mean_text(std::size_t sample) const {
    std::vector<double> busy(shape_.links());
    double fill = 0;
    for (Rank node = 0; node < shape_.size(); ++node) {
      fill += recording_.fifo_fill[sample * shape_.size() + node];
      for (unsigned d = 0; d < shape_.links(); ++d)
        busy[d] +=
            recording_
                .link_busy[sample * recording_.links() + std::size_t{node} * shape_.links() + d];
    }
    for (double& mean : busy) mean /= shape_.size();
    return counter_text(sample, 0, busy, chunks_of(fill / shape_.size()));
  }

  std::ostream& out_;
  const TraceFile& file_;
  const Shape& shape_;
  const Recording& recording_;
  std::uint64_t written_ = 0;
  bool first_ = true;
};

}  // namespace

/// Reserves a tenth of the file for counters. Also reserves space for names: those of all tracks,
/// or one name per slice if that leaves room for more slices.
std::size_t most_trace_slices(const Shape& shape, std::uint64_t file_bytes) {
  const std::uint64_t room = file_bytes / 10 * 9;
  const std::size_t slice = kSliceBytes + 2 * coordinate_bytes(shape);
  const std::size_t name = kNameBytes + coordinate_bytes(shape);
  const std::uint64_t tracks = std::uint64_t{shape.size()} * (shape.links() + 2 + 16);
  const std::uint64_t beside_all = room / name < tracks ? 0 : (room - tracks * name) / slice;
  return std::max({std::uint64_t{16}, beside_all, room / (slice + 2 * name)});
}

void write_trace(std::ostream& out, const TraceFile& file, const Tracer& tracer,
                 const Recording& recording) {
  TraceWriter(out, file, recording).write(tracer);
}

}  // namespace toroid
