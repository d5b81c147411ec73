#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>  // IWYU pragma: keep (IFF_UP is an enumerator and a macro of its own name)
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "router/job/socket.hpp"

namespace toroid::job {
namespace {

std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    if (!IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr))
      ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return text;
}

bool is_up(const ifaddrs& interface) {
  return interface.ifa_addr != nullptr && (interface.ifa_flags & IFF_UP) != 0 &&
         (interface.ifa_flags & IFF_LOOPBACK) == 0;
}

}  // namespace

std::vector<std::string> interface_addresses() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  std::vector<std::string> found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next)
    if (is_up(*one))
      if (std::string text = text_of(*one->ifa_addr); !text.empty()) found.push_back(text);
  return found;
}

}  // namespace toroid::job
