// The queue between two threads: nothing is lost, and memory is reused.
#include "router/threads/spsc_chain.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace toroid {
namespace {

TEST(SpscChain, HandsValuesOverInOrder) {
  SpscChain<int> chain;
  EXPECT_TRUE(chain.empty());
  chain.draft() = 1;
  EXPECT_TRUE(chain.empty());
  chain.post();
  chain.draft() = 2;
  chain.post();
  EXPECT_EQ(chain.front(), 1);
  chain.pop();
  EXPECT_EQ(chain.front(), 2);
  chain.pop();
  EXPECT_TRUE(chain.empty());
}

TEST(SpscChain, ReusesLinks) {
  SpscChain<int> chain;
  std::set<const int*> places;
  for (int i = 0; i < 1000; ++i) {
    places.insert(&chain.draft());
    chain.post();
    if (i % 3 == 0) continue;  // at most two values are in the queue
    while (!chain.empty()) chain.pop();
  }
  EXPECT_LE(places.size(), 5u);
}

TEST(SpscChain, LosesNothingBetweenTwoThreads) {
  constexpr unsigned kValues = 100'000;
  SpscChain<std::vector<unsigned>> chain;
  std::jthread producer([&] {
    for (unsigned i = 0; i < kValues; ++i) {
      chain.draft().assign(i % 4 + 1, i);
      chain.post();
    }
  });
  for (unsigned i = 0; i < kValues; ++i) {
    while (chain.empty()) std::this_thread::yield();
    ASSERT_EQ(chain.front(), std::vector<unsigned>(i % 4 + 1, i));
    chain.pop();
  }
  EXPECT_TRUE(chain.empty());
}

}  // namespace
}  // namespace toroid
