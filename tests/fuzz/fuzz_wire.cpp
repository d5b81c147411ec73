// A job's message is valid or refused; a valid message does not change when it is written and
// read again.
// Input: one byte that selects the kind of message, then the message.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "hal/check.hpp"
#include "router/job/job.hpp"
#include "router/job/wire.hpp"
#include "tests/fuzz/readers.hpp"

namespace toroid::fuzz::wire {
namespace {

using namespace job;

template <typename T>
void check_round_trip(const Message& message) {
  const Message written = message.get<T>();
  TOROID_CHECK(decode(encode({{"as", written}})).at("as") == written);
}

void read_message(unsigned which, const Message& message) {
  switch (which % 4) {
    case 0:
      return check_round_trip<ProcessInfo>(message);
    case 1:
      return check_round_trip<NumberedReport>(message);
    case 2:
      return check_round_trip<Hello>(message);
    default:
      return check_round_trip<std::vector<ProcessInfo>>(message.at("processes"));
  }
}

void try_input(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  try {
    read_message(data[0], decode(std::as_bytes(std::span(data + 1, size - 1))));
  } catch (const Malformed&) {
  } catch (const Message::exception&) {
  }
}

const Reader kReader("wire", try_input);

}  // namespace
}  // namespace toroid::fuzz::wire
