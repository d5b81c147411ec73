// The addresses on which process 0 listens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <algorithm>
#include <string>
#include <vector>

#include "router/job/bootstrap.hpp"
#include "router/job/job.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/process_info.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/job/plain_socket.hpp"

namespace toroid::testing {
namespace {

using ::testing::Each;

bool is_reached(const std::string& address, const Bootstrap& at) {
  return static_cast<bool>(connect_to(address, at.port));
}

/// Bootstraps with the address `master`. No launcher has opened the port, so process 0 opens it
/// itself.
std::vector<Bootstrap> bootstraps_at(const std::string& master) {
  auto members = bootstraps(2);
  job::Socket(members[0].listener).close();
  members[0].listener = -1;
  for (Bootstrap& member : members) member.master = {master};
  return members;
}

/// An IPv4 address of this host other than the loopback; empty if it has none.
std::string an_interface() {
  const auto all = job::interface_addresses();
  const auto found = std::ranges::find_if(
      all, [](const std::string& address) { return address.find(':') == std::string::npos; });
  return found == all.end() ? "" : *found;
}

TEST(JobListener, ListensOnlyOnNamedAddress) {
  const std::string address = an_interface();
  if (address.empty()) GTEST_SKIP() << "this host has no interface except the loopback";
  const auto members = bootstraps_at(address);
  const auto outcomes = JobThreads(members, patient(), [&](Job& job) {
                          EXPECT_TRUE(is_reached(address, members[0]));
                          EXPECT_FALSE(is_reached("127.0.0.1", members[0]));
                          EXPECT_EQ(job.process(0).address, address);
                          job.all_gather({});
                        }).outcomes();
  EXPECT_THAT(outcomes, Each(""));
}

bool is_loopback_here(const std::string& name) {
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, nullptr, &found) != 0) return false;
  char text[NI_MAXHOST] = "";
  ::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  ::freeaddrinfo(found);
  return job::is_loopback(text);
}

/// Other hosts resolve the name to another address of this host, so process 0 must listen there
/// too.
TEST(JobListener, ListensEverywhereIfHostNameResolvesToLoopback) {
  const std::string name = job::this_process().host;
  const std::string address = an_interface();
  if (address.empty() || !is_loopback_here(name))
    GTEST_SKIP() << "the name " << name << " does not resolve to the loopback";
  const auto members = bootstraps_at(name);
  const auto outcomes = JobThreads(members, patient(), [&](Job& job) {
                          EXPECT_TRUE(is_reached(address, members[0]));
                          EXPECT_TRUE(is_reached("127.0.0.1", members[0]));
                          job.all_gather({});
                        }).outcomes();
  EXPECT_THAT(outcomes, Each(""));
}

}  // namespace
}  // namespace toroid::testing
