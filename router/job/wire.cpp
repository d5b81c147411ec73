#include "router/job/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/termination/detector.hpp"

namespace toroid::job {
namespace {

constexpr std::size_t kMaxText = 64 << 10;  // bytes

}  // namespace

Writer& Writer::put_bytes(Bytes bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

Writer& Writer::put_text(const std::string& text) {
  const Bytes bytes = std::as_bytes(std::span(text)).first(std::min(text.size(), kMaxText));
  put(static_cast<std::uint32_t>(bytes.size()));
  return put_bytes(bytes);
}

Bytes Reader::get_bytes(std::size_t count) {
  if (count > bytes_.size()) throw Malformed("a frame is too short");
  const Bytes taken = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return taken;
}

std::string Reader::get_text() {
  const Bytes bytes = get_bytes(get<std::uint32_t>());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void Reader::end() const {
  if (!bytes_.empty()) throw Malformed("a frame is too long");
}

Blob frame(Type type, Bytes payload) {
  TOROID_CHECK_LE(payload.size(), kMaxFrame);
  return Writer()
      .put(static_cast<std::uint32_t>(type))
      .put(static_cast<std::uint32_t>(payload.size()))
      .put_bytes(payload)
      .bytes();
}

Blob encode(const ProcessInfo& info) {
  return Writer()
      .put_text(info.host)
      .put(static_cast<std::uint64_t>(info.pid))
      .put_text(info.address)
      .put_text(info.kernel)
      .bytes();
}

ProcessInfo decode_info(Reader& reader) {
  ProcessInfo info;
  info.host = reader.get_text();
  info.pid = static_cast<long>(reader.get<std::uint64_t>());
  info.address = reader.get_text();
  info.kernel = reader.get_text();
  return info;
}

Blob encode(const NumberedReport& numbered) {
  const termination::MemberReport& report = numbered.report;
  return Writer()
      .put(numbered.watch)
      .put(numbered.wave)
      .put(static_cast<std::uint8_t>(report.passive))
      .put(report.injected)
      .put(report.delivered)
      .put(report.moved)
      .put(report.rounds)
      .put(static_cast<std::uint32_t>(report.suspect))
      .put(report.without)
      .bytes();
}

NumberedReport decode_report(Bytes payload) {
  Reader reader(payload);
  NumberedReport numbered;
  numbered.watch = reader.get<std::uint32_t>();
  numbered.wave = reader.get<std::uint32_t>();
  termination::MemberReport& report = numbered.report;
  report.passive = reader.get<std::uint8_t>() != 0;
  report.injected = reader.get<std::uint64_t>();
  report.delivered = reader.get<std::uint64_t>();
  report.moved = reader.get<std::uint64_t>();
  report.rounds = reader.get<std::uint64_t>();
  report.suspect = static_cast<int>(reader.get<std::uint32_t>());
  report.without = reader.get<std::uint32_t>();
  reader.end();
  return numbered;
}

Blob encode(const BlobHead& head) {
  return Writer()
      .put(static_cast<std::uint32_t>(head.kind))
      .put(head.rank)
      .put(head.sequence)
      .put(head.size)
      .bytes();
}

BlobHead decode_blob_head(Bytes payload) {
  Reader reader(payload);
  BlobHead head;
  head.kind = static_cast<BlobKind>(reader.get<std::uint32_t>());
  head.rank = reader.get<std::uint32_t>();
  head.sequence = reader.get<std::uint64_t>();
  head.size = reader.get<std::uint64_t>();
  reader.end();
  return head;
}

}  // namespace toroid::job
