#include "router/job/wire.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"

namespace toroid::job {

Blob encode(const Message& message) {
  const std::vector<std::uint8_t> cbor = Message::to_cbor(message);
  const auto bytes = std::as_bytes(std::span(cbor));
  return {bytes.begin(), bytes.end()};
}

Message decode(Bytes bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  Message message = Message::from_cbor(begin, begin + bytes.size(), true, false);
  if (!message.is_object()) throw Malformed("not a message");
  return message;
}

Message message_of(const NumberedReport& numbered) {
  const termination::MemberReport& report = numbered.report;
  return {{"is", "report"},
          {"watch", numbered.watch},
          {"wave", numbered.wave},
          {"passive", report.passive},
          {"injected", report.injected},
          {"delivered", report.delivered},
          {"moved", report.moved},
          {"rounds", report.rounds},
          {"suspect", report.suspect}};
}

NumberedReport report_of(const Message& message) {
  return {.watch = message.at("watch"),
          .wave = message.at("wave"),
          .report = {.passive = message.at("passive"),
                     .injected = message.at("injected"),
                     .delivered = message.at("delivered"),
                     .moved = message.at("moved"),
                     .rounds = message.at("rounds"),
                     .suspect = message.at("suspect")}};
}

Message message_of(const ProcessInfo& info) {
  return {
      {"host", info.host}, {"pid", info.pid}, {"address", info.address}, {"kernel", info.kernel}};
}

ProcessInfo info_of(const Message& message) {
  return {.host = message.at("host"),
          .pid = message.at("pid"),
          .address = message.at("address"),
          .kernel = message.at("kernel")};
}

}  // namespace toroid::job
