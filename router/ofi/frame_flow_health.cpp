#include "router/ofi/frame_flow_health.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "hal/check.hpp"

namespace toroid::ofi {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kFixedWords = 7;

[[noreturn]] void refuse_health() {
  throw RunFailed("a process sent statistics of frames that do not fit those of the others");
}

void append_flow(Words& words, const FlowHealth& flow) {
  for (const std::uint64_t word :
       {std::uint64_t{flow.peer}, flow.sent, flow.repeats, flow.received, flow.refused,
        std::uint64_t{flow.received_crc}, std::uint64_t{flow.sent_crcs.size()}})
    words.push_back(word);
  words.insert(words.end(), flow.sent_crcs.begin(), flow.sent_crcs.end());
}

/// Removes the words of one flow from the front of `words` and decodes them. Throws RunFailed.
FlowHealth take_flow(std::span<const std::uint64_t>& words) {
  if (words.size() < kFixedWords) refuse_health();
  FlowHealth flow{.peer = static_cast<unsigned>(words[0]),
                  .sent = words[1],
                  .repeats = words[2],
                  .sent_crcs = {},
                  .received = words[3],
                  .refused = words[4],
                  .received_crc = static_cast<std::uint32_t>(words[5])};
  const std::size_t crcs = words[6];
  words = words.subspan(kFixedWords);
  if (crcs > words.size()) refuse_health();
  for (const std::uint64_t word : words.first(crcs))
    flow.sent_crcs.push_back(static_cast<std::uint32_t>(word));
  words = words.subspan(crcs);
  return flow;
}

LinkHealth judge(const FlowHealth& sender, const FlowHealth& receiver) {
  if (receiver.received > sender.sent || sender.sent_crcs.empty()) refuse_health();
  return {.errors = std::max(sender.repeats, receiver.refused),
          .repeats = sender.repeats,
          .sent_crc = sender.sent_crcs[receiver.received % sender.sent_crcs.size()],
          .received_crc = receiver.received_crc};
}

}  // namespace

Blob pack(const std::vector<FlowHealth>& flows) {
  Words words;
  for (const FlowHealth& flow : flows) append_flow(words, flow);
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

std::vector<LinkHealth> unpack_and_judge(const std::vector<Blob>& packed) {
  std::map<std::pair<unsigned, unsigned>, FlowHealth> flows;  // by process and peer
  for (unsigned process = 0; process < packed.size(); ++process) {
    if (packed[process].size() % sizeof(std::uint64_t) != 0) refuse_health();
    Words words(packed[process].size() / sizeof(std::uint64_t));
    if (!words.empty()) std::memcpy(words.data(), packed[process].data(), 8 * words.size());
    for (std::span<const std::uint64_t> left(words); !left.empty();) {
      const FlowHealth flow = take_flow(left);
      flows.emplace(std::pair(process, flow.peer), flow);
    }
  }
  std::vector<LinkHealth> health;
  for (const auto& [ends, sender] : flows) {
    const auto receiver = flows.find({ends.second, ends.first});
    if (receiver == flows.end()) refuse_health();
    health.push_back(judge(sender, receiver->second));
  }
  return health;
}

}  // namespace toroid::ofi
