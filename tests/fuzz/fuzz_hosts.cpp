// The host names in a hosts file are safe to pass to ssh and a shell, or the file is refused with a
// message of one line.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/run/host_list.hpp"

namespace toroid::fuzz::hosts {
namespace {

void check_host(const HostSlots& host) {
  TOROID_CHECK(!host.name.empty() && host.name.front() != '-');
  TOROID_CHECK(host.name.find_first_of(" \t\r\n;&|<>$`'\"\\(){}[]*?!~#") == std::string::npos);
  TOROID_CHECK(host.slots >= 1 && host.slots <= 1 << 16);
  (void)address_of(host);
}

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    for (const HostSlots& host : parse_hosts(text, "input")) check_host(host);
  });
}

const Reader kReader("hosts", try_input);

}  // namespace
}  // namespace toroid::fuzz::hosts
