// Whatever strangers send to a run's ports, during the run or before it, changes nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "tests/comes_true.hpp"
#include "tests/net/file_descriptor.hpp"
#include "tests/net/host.hpp"
#include "tests/net/hosts.hpp"
#include "tests/net/process.hpp"
#include "tests/net/tcp.hpp"
#include "tests/tools/ofi_run.hpp"
#include "tests/tools/run_process.hpp"
#include "tests/tools/temporary_directory.hpp"

namespace toroid::testing {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kStranger = OfiRun::kProcesses;  // an additional host
constexpr Milliseconds kBriefly = 100ms;

const Arguments kVisitedFft = {"fft", "--torus", "4x2x2", "--plan", "estimate", "--size", "24"};
/// Enough repetitions to be still running when all ports have been tried.
const Arguments kLongVisitedFft = kVisitedFft + Arguments{"--repeat", "300", "--out", "ofi.npy"};

std::string random_bytes(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  std::mt19937_64 random(seed);
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

/// Invalid messages. The empty one is a connection that sends nothing.
std::vector<std::string> garbage() {
  return {"",
          "\n",
          "GET / HTTP/1.1\r\nHost: alpha\r\nAccept: */*\r\n\r\n",
          std::string(20000, '\0'),
          std::string(20000, '\xff'),
          random_bytes(7, 1),
          random_bytes(20000, 2),
          random_bytes(20000, 3)};
}

class OfiStranger : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = obstacle_to(Wiring::bridge); !why.empty()) GTEST_SKIP() << why;
    hosts_ = std::make_unique<Hosts>(OfiRun::kProcesses + 1);
  }

  const Host& stranger() const { return (*hosts_)[kStranger]; }

  OfiRun prepare(const Arguments& arguments) { return {*hosts_, arguments, directory_.path()}; }

  /// Sends `bytes`. Does nothing if the port is no longer open.
  static void say(const Host& from, const Endpoint& to, const std::string& bytes) try {
    const FileDescriptor connection = connect_from(from, to, kBriefly);
    send_all(connection, bytes, kBriefly);
    receive(connection, 1, 10ms);
  } catch (const std::system_error&) {
  }

  /// Opens connections until the port refuses, at most 8.
  static void keep_connecting(const Host& from, const Endpoint& to,
                              std::vector<FileDescriptor>& open) try {
    for (int more = 0; more < 8; ++more) open.push_back(connect_from(from, to, kBriefly));
  } catch (const std::system_error&) {
  }

  /// Returns a host that can reach `port`. A loopback port is open to its own host only.
  const Host& who_reaches(const Host& host, const Endpoint& port) const {
    return port.address == host.address() ? stranger() : host;
  }

  void pester_all_ports() const {
    unsigned ports = 0;
    for (unsigned rank = 0; rank < OfiRun::kProcesses; ++rank)
      for (const Endpoint& port : listening((*hosts_)[rank])) {
        for (const std::string& bytes : garbage())
          say(who_reaches((*hosts_)[rank], port), port, bytes);
        ++ports;
      }
    EXPECT_GT(ports, OfiRun::kProcesses) << "the fabric's ports were not found";
  }

  void expect_the_models_array(const OfiRun& run) const {
    EXPECT_TRUE(run[0].running()) << "the run was over too soon: more repetitions are needed";
    expect_success(run.wait());
    EXPECT_TRUE(directory_.content_of("ofi.npy") == array_of_the_model(kVisitedFft));
  }

  /// Returns all bytes that process 3 of a short run sends to process 0.
  std::string hello_of_another_run() {
    const Relay relay((*hosts_)[0], {(*hosts_)[0].address(), kMasterPort});
    OfiRun run = prepare({"alltoall", "--torus", "4x2x2", "--bytes", "240"});
    run.start(0);
    run.start(3, relay.endpoint());
    run.start_rest();
    expect_success(run.wait());
    return last_of(relay);
  }

  /// Returns the record of the last connection: at earlier attempts the port may have been closed.
  static std::string last_of(const Relay& relay) {
    const std::vector<std::string> all = relay.recorded();
    return all.empty() ? "" : all.back();
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<Hosts> hosts_;
};

TEST_F(OfiStranger, GarbageOnEveryPortDoesNotDisturbTheRun) {
  OfiRun run = prepare(kLongVisitedFft);
  run.start_rest();
  ASSERT_TRUE(run.under_way());
  pester_all_ports();
  expect_the_models_array(run);
}

TEST_F(OfiStranger, SilentConnectionsDoNotDisturbTheRun) {
  OfiRun run = prepare(kLongVisitedFft);
  run.start_rest();
  ASSERT_TRUE(run.under_way());
  std::vector<FileDescriptor> silent;
  for (unsigned rank = 0; rank < OfiRun::kProcesses; ++rank)
    for (const Endpoint& port : listening((*hosts_)[rank]))
      keep_connecting(who_reaches((*hosts_)[rank], port), port, silent);
  expect_the_models_array(run);
}

TEST_F(OfiStranger, EarlyStrangerDoesNotReplaceAProcess) {
  const std::string replayed = hello_of_another_run();
  OfiRun run = prepare(kVisitedFft + Arguments{"--out", "ofi.npy"});
  run.start(0);
  ASSERT_TRUE(comes_true([&] { return !listening((*hosts_)[0]).empty(); }, 10s));
  const FileDescriptor silent = connect_from(stranger(), run.master());
  for (const std::string& bytes : garbage()) say(stranger(), run.master(), bytes);
  say(stranger(), run.master(), replayed);
  run.start_rest();
  expect_the_models_array(run);
}

TEST_F(OfiStranger, ReplayedHellosDoNotDisturbTheRun) {
  const std::string old = hello_of_another_run();
  EXPECT_FALSE(old.empty());
  const Relay relay((*hosts_)[0], {(*hosts_)[0].address(), kMasterPort});
  OfiRun run = prepare(kLongVisitedFft);
  run.start(0);
  run.start(3, relay.endpoint());
  run.start_rest();
  ASSERT_TRUE(run.under_way());
  for (const std::string& hello : {old, last_of(relay)})
    for (const std::size_t size : {hello.size(), hello.size() / 2, std::size_t{64}})
      say(stranger(), run.master(), hello.substr(0, size));
  expect_the_models_array(run);
}

}  // namespace
}  // namespace toroid::testing
