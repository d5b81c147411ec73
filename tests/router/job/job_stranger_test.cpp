// Connections from programs that are not processes of the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "hal/version.hpp"
#include "router/job/blob.hpp"
#include "router/job/bootstrap.hpp"
#include "router/job/connection.hpp"
#include "router/job/event_loop.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/listening_socket.hpp"
#include "router/job/tls.hpp"
#include "router/job/tls_stream.hpp"
#include "router/job/wire.hpp"
#include "tests/comes_true.hpp"
#include "tests/router/job/jobs.hpp"
#include "tests/router/job/plain_socket.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

job::Socket connect(const Bootstrap& to) {
  job::Socket socket = connect_to("127.0.0.1", to.port);
  EXPECT_TRUE(socket);
  return socket;
}

void wait_for_refusals(Job& job, std::uint64_t count) {
  comes_true([&] { return job.refused() >= count; });
  EXPECT_EQ(job.refused(), count);
}

/// Runs three processes and calls `visit` once in the middle; the run must not be disturbed.
void expect_unimpressed(std::uint64_t refusals,
                        const std::function<void(const std::vector<Bootstrap>&)>& visit,
                        const JobOptions& options = patient()) {
  const auto members = bootstraps(3);
  const auto outcomes = JobThreads(members, options, [&](Job& job) {
                          job.all_gather({});
                          if (job.rank() == 1) visit(members);
                          job.all_gather(blob_of(100'000, job.rank()));
                          if (job.rank() == 0) wait_for_refusals(job, refusals);
                          job.all_gather({});
                        }).outcomes();
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobStranger, GarbageIsRefused) {
  expect_unimpressed(4, [](const auto& members) {
    for (const std::size_t size : {1u, 8u, 5000u, 3'000'000u}) {
      const job::Socket stranger = connect(members[0]);
      send_bytes(stranger, blob_of(size, 3));
      if (size > 8) rest_of(stranger);
    }
  });
}

TEST(JobStranger, SilentConnectionIsRefused) {
  expect_unimpressed(
      1,
      [](const auto& members) {
        const job::Socket stranger = connect(members[0]);
        EXPECT_TRUE(rest_of(stranger).empty());
      },
      soon_worried());
}

TEST(JobStranger, ManyConnectionsAreRefused) {
  expect_unimpressed(300, [](const auto& members) {
    std::vector<job::Socket> strangers;
    for (int i = 0; i < 300; ++i) {
      strangers.push_back(connect(members[0]));
      send_bytes(strangers.back(), blob_of(1, 3));
    }
  });
}

/// Expects that the connections made by `visit` are not counted as refused. The last stranger is
/// counted, which shows that process 0 has handled the earlier connections.
void expect_uncounted(const std::function<void(const std::vector<Bootstrap>&)>& visit) {
  expect_unimpressed(1, [&](const auto& members) {
    visit(members);
    const job::Socket stranger = connect(members[0]);
    send_bytes(stranger, blob_of(5000, 3));
    rest_of(stranger);
  });
}

TEST(JobStranger, ClosingWithoutSendingIsNotCounted) {
  expect_uncounted([](const auto& members) {
    for (int i = 0; i < 10; ++i) connect(members[0]);
    std::vector<job::Socket> strangers;
    for (int i = 0; i < 300; ++i) strangers.push_back(connect(members[0]));
  });
}

/// A client that holds the key and has proved it to process 0.
class KeyHolder {
 public:
  explicit KeyHolder(const Bootstrap& zero) : tls_(zero.key) {
    asio::ip::tcp::socket socket(loop_.context());
    socket.connect({asio::ip::make_address("127.0.0.1"), zero.port});
    connection_ = std::make_unique<job::Connection>(
        std::make_unique<job::TlsStream>(std::move(socket), tls_, true));
    while (!connection_->is_proved() && turn()) loop_.run(milliseconds(10));
  }

  void send(const job::Message& message) {
    connection_->send(message);
    connection_->write();
  }
  /// The first answer; null if the connection has ended.
  job::Message answer() {
    while (turn() && answer_.is_null()) loop_.run(milliseconds(10));
    return answer_;
  }

 private:
  bool turn() {
    connection_->write();
    return !connection_->read(
        [this](const job::Message& message, const std::vector<Blob>&) { answer_ = message; });
  }

  job::Tls tls_;
  job::Loop loop_;
  std::unique_ptr<job::Connection> connection_;
  job::Message answer_;
};

/// If process 0 is slow to answer, a process gives up its first connection and dials again.
TEST(JobStranger, ClosingAfterProofIsNotCounted) {
  expect_uncounted([](const auto& members) {
    for (int i = 0; i < 10; ++i) KeyHolder{members[0]};
  });
}

/// Process 0 may close a connection without an answer, if the connection has waited for too long or
/// if too many connections wait.
TEST(JobStranger, UnansweredProcessDialsAgain) {
  const auto members = bootstraps(2);
  const job::Socket listener(members[0].listener);
  JobThreads leaf({members[1]}, patient(), [](Job&) {});
  const job::Tls tls(members[0].key);
  for (const bool first : {true, false}) {
    ASSERT_TRUE(wait_for(listener, milliseconds(30000)));
    job::Loop loop;
    asio::ip::tcp::socket socket(loop.context(), asio::ip::tcp::v4(),
                                 accept_on(listener).release());
    job::Connection visitor(std::make_unique<job::TlsStream>(std::move(socket), tls, false));
    bool said_hello = false;
    const auto hear = [&](const job::Message& message, const std::vector<Blob>&) {
      said_hello = message.at("is") == "hello";
    };
    while (!said_hello && !visitor.read(hear)) loop.run(milliseconds(50));
    ASSERT_TRUE(said_hello);
    if (first) continue;
    visitor.send({{"is", "refusal"}, {"why", "enough"}});
    visitor.write();
  }
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("process 0 refuses process 1: enough")));
}

TEST(JobStranger, ConnectionWithoutKeyIsRefused) {
  expect_unimpressed(1, [](const auto& members) {
    Bootstrap other = members[1];
    other.key = JobKey::random();
    JobOptions once = patient();
    once.patience = milliseconds(1);
    EXPECT_THAT(outcome_of(other, once, [](Job&) {}), HasSubstr("cannot join process 0"));
  });
}

/// Forwards the bytes between a process and process 0, and records those of the process.
class Recorder {
 public:
  explicit Recorder(const Bootstrap& to)
      : to_(to), listener_(job::listen_on("127.0.0.1", 0)), thread_([this] { pass_on(); }) {}

  std::uint16_t port() const { return job::port_of(listener_); }
  /// Waits until the process has left, and returns the bytes that it has sent.
  Blob recorded() {
    thread_.join();
    return recorded_;
  }

 private:
  void pass_on() {
    wait_for(listener_, milliseconds(30000));
    const job::Socket process = accept_on(listener_);
    const job::Socket zero = connect_to("127.0.0.1", to_.port);
    pollfd both[] = {{process.fd(), POLLIN, 0}, {zero.fd(), POLLIN, 0}};
    for (bool open = true; open && ::poll(both, 2, 30000) > 0;) {
      open = passed(both[0], zero, &recorded_) && passed(both[1], process, nullptr);
    }
  }
  static bool passed(const pollfd& from, const job::Socket& to, Blob* copy) {
    if (from.revents == 0) return true;
    Blob bytes(4096);
    const ssize_t got = ::recv(from.fd, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    bytes.resize(static_cast<std::size_t>(got));
    send_bytes(to, bytes);
    if (copy != nullptr) copy->insert(copy->end(), bytes.begin(), bytes.end());
    return true;
  }

  Bootstrap to_;
  job::Socket listener_;
  Blob recorded_;
  std::thread thread_;
};

/// The recording is from this job: all bytes that process 2 has sent.
TEST(JobStranger, ReplayedRecordingIsRefused) {
  auto members = bootstraps(3);
  Recorder recorder(members[0]);
  members[2].port = recorder.port();
  const auto outcomes = JobThreads(members, patient(), [&](Job& job) {
                          job.all_gather({});
                          if (job.rank() == 2) return;
                          if (job.rank() == 1) {
                            const Blob recorded = recorder.recorded();
                            EXPECT_FALSE(recorded.empty());
                            const job::Socket stranger = connect(members[0]);
                            send_bytes(stranger, recorded);
                            rest_of(stranger);
                          }
                          if (job.rank() == 0) wait_for_refusals(job, 1);
                        }).outcomes();
  EXPECT_THAT(outcomes, Each(""));
}

TEST(JobStranger, EchoedBytesAreRefused) {
  expect_unimpressed(1, [](const auto& members) {
    const job::Socket stranger = connect(members[0]);
    send_bytes(stranger, Blob{std::byte{0x16}});
    Blob echo(4096);
    while (wait_for(stranger, milliseconds(300))) {
      const ssize_t got = ::recv(stranger.fd(), echo.data(), echo.size(), 0);
      if (got <= 0) break;
      send_bytes(stranger, std::span(echo).first(static_cast<std::size_t>(got)));
    }
  });
}

TEST(JobStranger, HelloWithWrongRankOrSizeIsRefusedWithTheReason) {
  expect_unimpressed(0, [](const auto& members) {
    for (const auto& [rank, size, why] : {std::tuple{1u, 3u, "process 1 has already joined"},
                                          {0u, 3u, "process 0 cannot join this job"},
                                          {3u, 3u, "process 3 cannot join this job"},
                                          {1u, 4u, "has 3 processes, not 4"}}) {
      KeyHolder stranger(members[0]);
      job::Message hello = job::Hello{rank, size, {}};
      hello.update({{"is", "hello"}, {"protocol", job::kProtocol}});
      stranger.send(hello);
      EXPECT_THAT(stranger.answer().at("why").template get<std::string>(), HasSubstr(why));
    }
  });
}

/// The stranger holds the key, but is a process of another version.
TEST(JobStranger, OtherProtocolVersionIsRefused) {
  expect_unimpressed(0, [](const auto& members) {
    for (const char* version : {"0.2.0 or older", "9.1"}) {
      KeyHolder stranger(members[0]);
      job::Message hello{{"is", "hello"}, {"protocol", "another"}};
      if (std::string_view(version) == "9.1") hello["version"] = version;
      stranger.send(hello);
      EXPECT_THAT(
          stranger.answer().at("why").template get<std::string>(),
          AllOf(HasSubstr(std::string("it has toroid ") + version + ", process 0 has toroid "),
                HasSubstr(kVersion)));
    }
  });
}

TEST(JobStranger, OtherProtocolVersionIsReportedByProcess0) {
  const auto members = bootstraps(2);
  JobOptions options = patient();
  options.patience = milliseconds(1000);
  JobThreads hub({members[0]}, options, [](Job&) {});
  KeyHolder stranger(members[0]);
  stranger.send({{"is", "hello"}, {"protocol", "another"}, {"version", "9.1"}});
  EXPECT_FALSE(stranger.answer().is_null());
  EXPECT_THAT(hub.outcomes(), Each(AllOf(HasSubstr("process 1 did not join"),
                                         HasSubstr("toroid 9.1 at 127.0.0.1 is another version"))));
}

TEST(JobStranger, DifferentKeyIsReportedAtBothEnds) {
  auto members = bootstraps(2);
  members[1].key = JobKey::random();
  JobOptions options = patient();
  // Process 0 listens for longer than the other process tries.
  options.patience = milliseconds(2000);
  JobThreads hub({members[0]}, options, [](Job&) {});
  options.patience = milliseconds(500);
  JobThreads leaf({members[1]}, options, [](Job&) {});
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("do both have the same job key?")));
  EXPECT_THAT(hub.outcomes(),
              Each(AllOf(HasSubstr("process 1 did not join"),
                         HasSubstr("a process at 127.0.0.1 does not hold the same key"))));
}

TEST(JobStranger, DifferentKeyIsReportedEvenIfProcess0HasGone) {
  auto members = bootstraps(2);
  members[1].key = JobKey::random();
  JobOptions options = patient();
  options.patience = milliseconds(500);
  JobThreads hub({members[0]}, options, [](Job&) {});
  options.patience = milliseconds(1200);
  JobThreads leaf({members[1]}, options, [](Job&) {});
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("it does not hold the same key")));
  EXPECT_THAT(hub.outcomes(), Each(HasSubstr("a process at 127.0.0.1 does not hold the same key")));
}

TEST(JobStranger, NoProcessJoinsFakeProcess0) {
  auto members = bootstraps(2);
  const job::Socket listener(members[0].listener);
  members.erase(members.begin());
  JobOptions options = patient();
  options.patience = milliseconds(300);
  JobThreads leaf(members, options, [](Job&) {});
  wait_for(listener, milliseconds(30000));
  const job::Socket visitor = accept_on(listener);
  send_bytes(visitor, blob_of(5000, 1));
  rest_of(visitor);
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("process 1 cannot join process 0")));
}

using Certificate = std::unique_ptr<X509, decltype(&::X509_free)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;

Certificate certificate_of(EVP_PKEY* key) {
  Certificate certificate(::X509_new(), &::X509_free);
  ::X509_set_version(certificate.get(), 2);
  ::X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  ::X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  ::X509_set_pubkey(certificate.get(), key);
  ::X509_sign(certificate.get(), key, ::EVP_sha256());
  return certificate;
}

/// The stranger speaks TLS with a certificate instead of the key.
TEST(JobStranger, NoProcessJoinsFakeProcess0WithCertificate) {
  auto members = bootstraps(2);
  const job::Socket listener(members[0].listener);
  JobOptions options = patient();
  options.patience = milliseconds(300);
  JobThreads leaf({members[1]}, options, [](Job&) {});
  const std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context(
      ::SSL_CTX_new(::TLS_server_method()), &::SSL_CTX_free);
  const PrivateKey key(EVP_EC_gen("P-256"), &::EVP_PKEY_free);
  ASSERT_EQ(::SSL_CTX_use_certificate(context.get(), certificate_of(key.get()).get()), 1);
  ASSERT_EQ(::SSL_CTX_use_PrivateKey(context.get(), key.get()), 1);
  wait_for(listener, milliseconds(30000));
  const job::Socket visitor = accept_on(listener);
  const std::unique_ptr<SSL, decltype(&::SSL_free)> tls(::SSL_new(context.get()), &::SSL_free);
  ::SSL_set_fd(tls.get(), visitor.fd());
  char first = 0;
  const bool accepted = ::SSL_accept(tls.get()) == 1;
  EXPECT_FALSE(accepted && ::SSL_read(tls.get(), &first, 1) == 1);
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("process 1 cannot join process 0")));
}

}  // namespace
}  // namespace toroid::testing
