#include "tools/run/message_export.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include "hal/check.hpp"
#include "packet/node/node.hpp"
#include "packet/replay/recorded_schedule.hpp"
#include "router/job/blob.hpp"
#include "tools/files/schedule_file.hpp"
#include "tools/options/option_values.hpp"

namespace toroid {
namespace {

/// The header before the events of a node, in the bytes that a process sends to the process that
/// reports.
struct RecordHead {
  std::uint64_t rank;
  std::uint64_t ended;
  std::uint64_t events;
};

template <typename T>
void append(Blob& blob, std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(values);
  blob.insert(blob.end(), bytes.begin(), bytes.end());
}

template <typename T>
std::vector<T> take_front(std::span<const std::byte>& blob, std::size_t count) {
  TOROID_CHECK_LE(count, blob.size() / sizeof(T));
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), blob.data(), count * sizeof(T));
  blob = blob.subspan(count * sizeof(T));
  return values;
}

void unpack(std::span<const std::byte> blob, MessageRecord& record) {
  while (!blob.empty()) {
    const RecordHead head = take_front<RecordHead>(blob, 1).front();
    TOROID_CHECK_LT(head.rank, record.nodes());
    const auto events = take_front<RecordedEvent>(blob, head.events);
    record.of(static_cast<Rank>(head.rank)).assign(events, head.ended);
  }
}

}  // namespace

void add_export_option(CLI::App& command, std::string& path) {
  begin_group(command, "Output");
  add_file_option(command, "--export", path,
                  "write the run's messages to FILE.goal or FILE.csv, for toroid replay");
}

MessageExport::MessageExport(const std::string& path, const Shape& shape,
                             const Processes& processes)
    : path_(path) {
  if (path.empty()) return;
  (void)schedule_format(path);
  if (processes.reports()) file_ = std::make_unique<OutputFile>(path);
  record_ = std::make_unique<MessageRecord>(shape.size());
}

RunOptions MessageExport::recorded(RunOptions options) {
  options.node.record = record_.get();
  return options;
}

void MessageExport::write(const Emulation& emulation, const Machine& machine) {
  if (record_ == nullptr) return;
  Blob packed;
  for (const Node& node : emulation.nodes()) {
    RankRecord& mine = record_->of(node.rank());
    mine.end(node.finished_at());
    if (file_ != nullptr) continue;
    const RecordHead head{node.rank(), mine.ended(), mine.events().size()};
    append(packed, std::span(&head, 1));
    append(packed, mine.events());
  }
  for (const Blob& blob : emulation.processes().gather(std::move(packed))) unpack(blob, *record_);
  if (file_ == nullptr) return;
  write_schedule(file_->stream(), schedule_of(*record_, machine), schedule_format(path_));
  file_->commit();
}

}  // namespace toroid
