// A file of hosts names hosts that neither ssh nor a shell takes for anything else, or is refused
// in one line.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "hal/check.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/launch/host_list.hpp"

namespace toroid {
namespace {

void check_host(const HostSlots& host) {
  TOROID_CHECK(!host.name.empty() && host.name.front() != '-');
  TOROID_CHECK(host.name.find_first_of(" \t\r\n;&|<>$`'\"\\(){}[]*?!~#") == std::string::npos);
  TOROID_CHECK(host.slots >= 1 && host.slots <= 1 << 16);
  (void)address_of(host);
}

}  // namespace
}  // namespace toroid

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toroid;
  fuzz::read_or_refuse([&] {
    std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
    for (const HostSlots& host : parse_hosts(text, "input")) check_host(host);
  });
  return 0;
}
