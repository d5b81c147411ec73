// Connections from others than the processes of the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/job/key.hpp"
#include "router/job/membership.hpp"
#include "router/job/proof.hpp"
#include "router/job/socket.hpp"
#include "router/job/wire.hpp"
#include "tests/router/job/jobs.hpp"

namespace toroid::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

job::Socket connect(const Membership& to) {
  std::string why;
  job::Socket socket = job::connect_to("127.0.0.1", to.port, milliseconds(10000), why);
  EXPECT_TRUE(socket) << why;
  return socket;
}

void send(const job::Socket& socket, job::Bytes bytes) {
  ::send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

job::Nonce challenge_of(const job::Socket& socket) {
  Blob bytes(job::kFrameHead + 40);
  job::wait_for(socket, POLLIN, milliseconds(10000));
  EXPECT_EQ(::recv(socket.fd(), bytes.data(), bytes.size(), 0), 48);
  return job::decode_challenge(job::Bytes(bytes).subspan(job::kFrameHead));
}

/// What comes before the other end closes.
Blob rest_of(const job::Socket& socket) {
  Blob all;
  std::byte one{};
  while (job::wait_for(socket, POLLIN, milliseconds(30000)) && ::recv(socket.fd(), &one, 1, 0) == 1)
    all.push_back(one);
  return all;
}

void wait_for_refusals(Job& job, std::uint64_t count) {
  for (int tries = 0; tries < 3000 && job.refused() < count; ++tries) sleep_for(milliseconds(10));
  EXPECT_EQ(job.refused(), count);
}

/// A run of three processes in the midst of which `visit` is called once.
void expect_unimpressed(std::uint64_t refusals,
                        const std::function<void(const std::vector<Membership>&)>& visit,
                        milliseconds silence = milliseconds(30000)) {
  const auto members = memberships(3);
  JobOptions options = patient();
  options.silence = silence;
  const auto outcomes = JobThreads(members, options, [&](Job& job) {
                          job.all_gather({});
                          if (job.rank() == 1) visit(members);
                          job.all_gather(blob_of(100'000, job.rank()));
                          if (job.rank() == 0) wait_for_refusals(job, refusals);
                          job.all_gather({});
                        }).outcomes();
  EXPECT_THAT(outcomes, Each(""));
}

Blob hello(const job::Claim& claim, const JobKey& key) {
  return job::frame(job::Type::hello, job::encode_hello(claim, key));
}

TEST(JobStranger, WithGarbageIsRefused) {
  expect_unimpressed(4, [](const auto& members) {
    for (const std::size_t size : {1u, 8u, 5000u, 3'000'000u}) {
      const job::Socket stranger = connect(members[0]);
      send(stranger, blob_of(size, 3));
      if (size > 8) rest_of(stranger);
    }
  });
}

TEST(JobStranger, WhoIsSilentIsRefused) {
  expect_unimpressed(
      1,
      [](const auto& members) {
        const job::Socket stranger = connect(members[0]);
        challenge_of(stranger);
        EXPECT_TRUE(rest_of(stranger).empty());
      },
      milliseconds(2500));
}

TEST(JobStranger, WhoOpensManyConnectionsIsRefused) {
  expect_unimpressed(300, [](const auto& members) {
    std::vector<job::Socket> strangers;
    for (int i = 0; i < 300; ++i) {
      strangers.push_back(connect(members[0]));
      challenge_of(strangers.back());
      send(strangers.back(), blob_of(1, 3));
    }
  });
}

/// Who comes last shows that the others have been seen.
void expect_uncounted(const std::function<void(const std::vector<Membership>&)>& visit) {
  expect_unimpressed(1, [&](const auto& members) {
    visit(members);
    const job::Socket stranger = connect(members[0]);
    send(stranger, blob_of(5000, 3));
    rest_of(stranger);
  });
}

TEST(JobStranger, WhoClosesWithoutAByteIsNotCounted) {
  expect_uncounted([](const auto& members) {
    for (int i = 0; i < 10; ++i) connect(members[0]);
    for (int i = 0; i < 10; ++i) challenge_of(connect(members[0]));
    std::vector<job::Socket> strangers;
    for (int i = 0; i < 300; ++i) strangers.push_back(connect(members[0]));
  });
}

/// A process dials again, and gives its first connection up, if process 0 is slow to answer.
TEST(JobStranger, WhoProvesItselfAndGivesUpIsNotCounted) {
  expect_uncounted([](const auto& members) {
    for (int i = 0; i < 10; ++i) {
      const job::Socket impatient = connect(members[0]);
      send(impatient, hello({1, 3, challenge_of(impatient), job::draw_nonce()}, members[0].key));
    }
  });
}

TEST(JobStranger, WithoutTheKeyIsRefused) {
  expect_unimpressed(1, [](const auto& members) {
    const job::Socket stranger = connect(members[0]);
    const job::Claim claim{1, 3, challenge_of(stranger), job::draw_nonce()};
    send(stranger, hello(claim, JobKey::random()));
    EXPECT_TRUE(rest_of(stranger).empty());
  });
}

TEST(JobStranger, WhoReplaysWhatWasRecordedIsRefused) {
  expect_unimpressed(1, [](const auto& members) {
    const job::Socket first = connect(members[0]);
    const Blob recorded = hello({1, 3, challenge_of(first), job::draw_nonce()}, members[0].key);
    const job::Socket second = connect(members[0]);
    challenge_of(second);
    send(second, recorded);
    EXPECT_TRUE(rest_of(second).empty());
  });
}

TEST(JobStranger, WhoEchoesIsRefused) {
  expect_unimpressed(1, [](const auto& members) {
    const job::Socket stranger = connect(members[0]);
    send(stranger, job::frame(job::Type::challenge, job::encode_challenge(challenge_of(stranger))));
    EXPECT_TRUE(rest_of(stranger).empty());
  });
}

TEST(JobStranger, OfARankThatIsTakenOrIsNoneIsToldSo) {
  expect_unimpressed(0, [](const auto& members) {
    for (const auto& [rank, size, why] : {std::tuple{1, 3, "there is a process 1 already"},
                                          {0, 3, "no process 0 to join"},
                                          {3, 3, "no process 3 to join"},
                                          {1, 4, "has 3 processes, not 4"}}) {
      const job::Socket stranger = connect(members[0]);
      const job::Claim claim{static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(size),
                             challenge_of(stranger), job::draw_nonce()};
      send(stranger, hello(claim, members[0].key));
      const Blob answer = rest_of(stranger);
      EXPECT_THAT(std::string(reinterpret_cast<const char*>(answer.data()), answer.size()),
                  HasSubstr(why));
    }
  });
}

TEST(JobStranger, IsOneWhoHasAnotherKey) {
  auto members = memberships(2);
  members[1].key = JobKey::random();
  JobOptions options = patient();
  options.patience = milliseconds(4000);  // it listens for longer than the other tries
  JobThreads hub({members[0]}, options, [](Job&) {});
  options.patience = milliseconds(1000);
  JobThreads leaf({members[1]}, options, [](Job&) {});
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("do both have the same job key?")));
  EXPECT_THAT(hub.outcomes(),
              Each(AllOf(HasSubstr("process 1 did not join"),
                         HasSubstr("from 127.0.0.1 came one that does not hold the same key"))));
}

TEST(JobStranger, IsSaidToHaveAnotherKeyAlsoWhereProcess0HasGoneSince) {
  auto members = memberships(2);
  members[1].key = JobKey::random();
  JobOptions options = patient();
  options.patience = milliseconds(500);
  JobThreads hub({members[0]}, options, [](Job&) {});
  options.patience = milliseconds(3000);
  JobThreads leaf({members[1]}, options, [](Job&) {});
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("it does not hold the same key")));
  EXPECT_THAT(hub.outcomes(), Each(HasSubstr("came one that does not hold the same key")));
}

TEST(JobStranger, WhoPosesAsProcess0GetsNoProcess) {
  auto members = memberships(2);
  const job::Socket listener(members[0].listener);
  members.erase(members.begin());
  JobOptions options = patient();
  options.patience = milliseconds(300);
  JobThreads leaf(members, options, [](Job&) {});
  job::wait_for(listener, POLLIN, milliseconds(30000));
  const job::Socket visitor = job::accept_on(listener);
  send(visitor, job::frame(job::Type::challenge, job::encode_challenge(job::draw_nonce())));
  job::wait_for(visitor, POLLIN, milliseconds(30000));
  send(visitor, job::frame(job::Type::welcome, blob_of(32, 1)));
  rest_of(visitor);
  EXPECT_THAT(leaf.outcomes(), Each(HasSubstr("process 1 cannot join process 0")));
}

}  // namespace
}  // namespace toroid::testing
