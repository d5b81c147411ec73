// A file of hosts names hosts that neither ssh nor a shell takes for anything else, or is refused
// in one line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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
  fuzz::read_text_or_refuse(data, size, [](std::string_view text) {
    for (const HostSlots& host : parse_hosts(text, "input")) check_host(host);
  });
  return 0;
}
