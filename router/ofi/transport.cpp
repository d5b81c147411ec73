#include "router/ofi/transport.hpp"

#include "hal/check.hpp"

namespace toroid::ofi {
namespace {

[[noreturn]] void cannot_read() {
  check_failed(__FILE__, __LINE__, "least_read() > 0", "a transport that cannot read");
}

}  // namespace

std::unique_ptr<Region> Transport::expose(std::span<const std::byte>) {
  cannot_read();
}

std::unique_ptr<Region> Transport::open(std::span<std::byte>) {
  cannot_read();
}

bool Transport::try_read(ReadOperation&) {
  cannot_read();
}

}  // namespace toroid::ofi
