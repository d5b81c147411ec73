#include "tools/policies/check/answers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "hal/failures.hpp"
#include "hal/machine.hpp"
#include "hal/random.hpp"
#include "hal/route.hpp"
#include "hal/send_order.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/patterns.hpp"
#include "packet/traffic/traffic.hpp"
#include "tools/policies/check/probe.hpp"

namespace toroid {
namespace {

constexpr unsigned kThreads = 4;
constexpr std::chrono::milliseconds kThreadTime{150};  // per machine
constexpr std::uint64_t kBytes = 480;

/// A question: the order of a node in a round, or the ways of what it sends.
struct Question {
  enum class Of : std::uint8_t { settings, order, relays } of;
  Rank self = 0;
  std::uint32_t round = 0;
  bool inside_larger = false;  ///< whether the machine is a part of a larger one
};

/// The case of a machine under an all-to-all.
struct AskedCase {
  explicit AskedCase(const Shape& on)
      : shape(on), traffic(make_traffic("all-to-all", on, kBytes, 1)) {}
  PolicyCase policy_case() const { return {shape, machine, *traffic}; }
  Shape shape;
  Machine machine;
  std::unique_ptr<const Traffic> traffic;
};

std::vector<Question> questions(const Policy& policy, const Shape& shape) {
  std::vector<Question> all{{Question::Of::settings}};
  const std::uint32_t rounds = policy.changes_order() ? 3 : 1;
  for (Rank self = 0; self < shape.size(); ++self) {
    for (std::uint32_t round = 0; round < rounds; ++round)
      all.push_back({Question::Of::order, self, round, false});
    all.push_back({Question::Of::order, self, 0, true});
    if (policy.stages(shape) > 1) all.push_back({Question::Of::relays, self});
  }
  return all;
}

void stir(std::uint64_t& sum, std::uint64_t value) {
  sum = mix64(sum ^ mix64(value));
}

std::uint64_t sum_of(const PolicySettings& settings) {
  std::uint64_t sum = settings.order ? 1 + static_cast<std::uint64_t>(*settings.order) : 0;
  for (const std::uint64_t value :
       {std::uint64_t{settings.packets_per_visit}, std::uint64_t{settings.output_queues},
        std::uint64_t{settings.queue_per_direction}, std::uint64_t{settings.queue_capacity},
        static_cast<std::uint64_t>(settings.drain), static_cast<std::uint64_t>(settings.tying),
        static_cast<std::uint64_t>(settings.routing), static_cast<std::uint64_t>(settings.tie),
        std::bit_cast<std::uint64_t>(settings.throttle.cycles_per_packet),
        std::uint64_t{settings.throttle.window}})
    stir(sum, value);
  return sum;
}

/// The peers that an order goes to; no more than could be right and one.
std::vector<Rank> peers_of(const Policy& policy, const Shape& shape, const Question& question,
                           std::uint64_t seed) {
  const Rank identity = question.self + (question.inside_larger ? shape.size() : 0);
  const SendOrder order = policy.order({shape, question.self, seed, question.round, identity});
  std::vector<Rank> peers;
  for (Rank i = 0; i < std::min(order.size(), shape.size()); ++i) peers.push_back(order[i]);
  return peers;
}

/// Where a packet passes, from its source to its destination.
std::vector<Rank> way_of(const Policy& policy, const Shape& shape, Rank from, Rank to) {
  std::vector<Rank> way{from};
  const unsigned stages = policy.stages(shape);
  const std::uint64_t key = mix64(std::uint64_t{from} * shape.size() + to);
  for (unsigned stage = 0; stage + 1 < stages; ++stage) {
    const Rank next = policy.relay(shape, {stage, way.back(), from, to, key});
    way.push_back(next);
    if (next >= shape.size()) return way;
  }
  way.push_back(to);
  return way;
}

std::uint64_t answer(const Policy& policy, const AskedCase& asked, const Question& question,
                     std::uint64_t seed) {
  std::uint64_t sum = mix64(question.self) ^ question.round;
  if (question.of == Question::Of::settings) return sum_of(policy.settings(asked.policy_case()));
  if (question.of == Question::Of::order)
    for (const Rank peer : peers_of(policy, asked.shape, question, seed)) stir(sum, peer);
  if (question.of == Question::Of::relays)
    for (Rank to = 0; to < asked.shape.size(); ++to)
      for (const Rank on_way : way_of(policy, asked.shape, question.self, to)) stir(sum, on_way);
  return sum;
}

std::string text_of(const Shape& shape, const Question& question) {
  if (question.of == Question::Of::settings) return "settings()";
  return fmt::format(
      "{} of {}{}", question.of == Question::Of::order ? "order()" : "relay() of packets",
      shape.coord_text(question.self),
      question.inside_larger ? " where the nodes are a part of a larger machine" : "");
}

std::optional<Breakage> wrong_order(const Shape& shape, const Question& question,
                                    const std::vector<Rank>& peers) {
  std::vector<bool> visited(shape.size(), false);
  const std::string who = text_of(shape, question);
  for (const Rank peer : peers) {
    if (peer >= shape.size())
      return Breakage{"out of range", "",
                      fmt::format("{} visits rank {} of {}", who, peer, shape.size())};
    if (peer == question.self)
      return Breakage{"sent to itself", "", who + " visits the node itself"};
    if (visited[peer])
      return Breakage{"doubled", "",
                      fmt::format("{} visits {} twice", who, shape.coord_text(peer))};
    visited[peer] = true;
  }
  for (Rank peer = 0; peer < shape.size(); ++peer)
    if (!visited[peer] && peer != question.self && shape.is_alive(peer))
      return Breakage{"never sent", "",
                      fmt::format("{} leaves out {}", who, shape.coord_text(peer))};
  return std::nullopt;
}

std::optional<Breakage> wrong_way(const Policy& policy, const Shape& shape, Rank from, Rank to) {
  const std::vector<Rank> way = way_of(policy, shape, from, to);
  const auto text = [&](std::string_view what) {
    return fmt::format("relay() of a packet from {} to {} {}", shape.coord_text(from),
                       shape.coord_text(to), what);
  };
  if (way.back() >= shape.size())
    return Breakage{"relay leads nowhere", "",
                    text(fmt::format("says rank {} of {}", way.back(), shape.size()))};
  if (!policy.keeps_to_shortest_ways(shape)) return std::nullopt;
  unsigned hops = 0;
  for (std::size_t i = 1; i < way.size(); ++i)
    hops += minimal_hops(shape, shape.coord(way[i - 1]), shape.coord(way[i]));
  const unsigned least = minimal_hops(shape, shape.coord(from), shape.coord(to));
  if (hops <= least) return std::nullopt;
  return Breakage{
      "not a shortest way", "",
      text(fmt::format("takes {} hops instead of {}, but keeps_to_shortest_ways()", hops, least))};
}

std::optional<Breakage> wrong_answer(const Policy& policy, const AskedCase& asked,
                                     const Question& question, std::uint64_t seed) {
  const Shape& shape = asked.shape;
  if (question.of == Question::Of::order)
    return wrong_order(shape, question, peers_of(policy, shape, question, seed));
  if (question.of != Question::Of::relays) return std::nullopt;
  for (Rank to = 0; to < shape.size(); ++to)
    if (to != question.self)
      if (auto wrong = wrong_way(policy, shape, question.self, to)) return wrong;
  return std::nullopt;
}

/// Numbers that cannot be.
std::optional<Breakage> wrong_settings(const Policy& policy, const AskedCase& asked) {
  const unsigned stages = policy.stages(asked.shape);
  if (stages < 1 || stages > 255)
    return Breakage{"bad settings", "", fmt::format("stages() is {}, expected 1 to 255", stages)};
  const PolicySettings settings = policy.settings(asked.policy_case());
  if (settings.output_queues < 1 || settings.output_queues > 32767)
    return Breakage{
        "bad settings", "",
        fmt::format("output_queues is {}, expected 1 to 32767", settings.output_queues)};
  if (settings.queue_capacity < 1)
    return Breakage{"bad settings", "", "queue_capacity is 0, expected 1 at least"};
  if (!(settings.throttle.cycles_per_packet >= 0 && settings.throttle.cycles_per_packet < 1e12))
    return Breakage{"bad settings", "",
                    fmt::format("throttle.cycles_per_packet is {}, expected 0 to 1e12",
                                settings.throttle.cycles_per_packet)};
  return std::nullopt;
}

/// What it answers and nobody asks. It breaks nothing.
void note_what_has_no_effect(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                             ProbeReport& report) {
  const Shape& shape = asked.shape;
  const Rank last = shape.size() - 1;
  const auto order = [&](std::uint32_t round) {
    return peers_of(policy, shape, {Question::Of::order, 0, round, false}, seed);
  };
  if (!policy.changes_order() && order(0) != order(1))
    report.value("note round",
                 "order() differs from round to round, but changes_order() is false: "
                 "only that of round 0 counts");
  if (policy.settings(asked.policy_case()).order)
    report.value("note order", "settings() has a rule for the order: order() is not asked");
  if (policy.stages(shape) == 1 && policy.relay(shape, {0, 0, 0, last, 0}) != last)
    report.value("note relay",
                 "relay() leads by way of others, but stages() is 1: it is not asked");
}

/// Asks all twice, the second time backwards, and says where two answers differ.
std::uint64_t sum_asked_twice(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                              ProbeReport& report) {
  const std::vector<Question> all = questions(policy, asked.shape);
  std::vector<std::uint64_t> answers;
  for (const Question& question : all) answers.push_back(answer(policy, asked, question, seed));
  std::uint64_t sum = 0;
  for (std::size_t i = all.size(); i-- > 0; sum += answers[i])
    if (answer(policy, asked, all[i], seed) != answers[i]) {
      report.breaks({"depends on call order", "",
                     text_of(asked.shape, all[i]) + " is another when it is asked for again"});
      return 0;
    }
  return sum;
}

/// Returns false where something is broken.
bool check_each(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                ProbeReport& report) {
  if (auto wrong = wrong_settings(policy, asked)) return report.breaks(*wrong), false;
  for (const Question& question : questions(policy, asked.shape))
    if (auto wrong = wrong_answer(policy, asked, question, seed))
      return report.breaks(*wrong), false;
  return true;
}

/// Calls `ask` with every machine that the policy takes.
template <typename Ask>
void on_each_machine(ProbeReport& report, std::span<const CheckShape> shapes, const Ask& ask) {
  for (const CheckShape& one : shapes) {
    report.begin(one.name);
    try {
      ask(one, AskedCase(one.shape));
    } catch (const BadInput& refusal) {
      report.value("refuses " + one.name, refusal.what());
    }
  }
}

/// Of the sums; 0 where the policy does not take the machine.
std::uint64_t sum_at(const AnswerSums& sums, const std::string& name) {
  const auto found = sums.find(name);
  return found == sums.end() ? 0 : found->second;
}

std::uint64_t sum_asked(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                        std::span<const Question> all, std::size_t first) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    sum += answer(policy, asked, all[(first + i) % all.size()], seed);
  return sum;
}

constexpr const char* kUnlike = "the answers are others in another process";

/// Threads that ask the same questions, each beginning with others.
class AskingThreads {
 public:
  AskingThreads(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                std::uint64_t expected)
      : policy_(policy),
        asked_(asked),
        seed_(seed),
        expected_(expected),
        questions_(questions(policy, asked.shape)) {}

  /// What went wrong; empty: nothing.
  std::string run() {
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back([this, t] { ask(t); });
    }
    return wrong_;
  }

 private:
  void ask(unsigned thread) {
    const auto end = std::chrono::steady_clock::now() + kThreadTime;
    const std::size_t first = questions_.size() * thread / kThreads;
    ++ready_;
    while (ready_ < kThreads) std::this_thread::yield();
    try {
      do {
        if (sum_asked(policy_, asked_, seed_, questions_, first) != expected_)
          fail("gets other answers than one thread alone");
      } while (!failed_ && std::chrono::steady_clock::now() < end);
    } catch (const std::exception& error) {
      fail(fmt::format("gets an exception: {}", error.what()));
    }
  }

  void fail(std::string what) {
    const std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) wrong_ = std::move(what);
  }

  const Policy& policy_;
  const AskedCase& asked_;
  std::uint64_t seed_;
  std::uint64_t expected_;
  std::vector<Question> questions_;
  std::atomic<unsigned> ready_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;  ///< of wrong_
  std::string wrong_;
};

}  // namespace

std::vector<CheckShape> check_shapes() {
  std::vector<CheckShape> all;
  for (const char* name : {"4x4x4", "2x2x2", "3x3m", "4mx4m", "5x2x1", "6x3", "8", "2", "3x4x2x2",
                           "8x4@YX4", "2x4x4@XY2@XZ2"})
    all.push_back({name, Shape::parse(name)});
  FailureList failed;
  failed.links = {"(0,0,0)X+"};
  failed.long_ways = true;
  all.push_back({"4x4x2, (0,0,0)X+ failed", Shape::parse("4x4x2").with_failures(failed)});
  return all;
}

void check_answers(const Policy& policy, std::uint64_t seed, ProbeReport& report) {
  on_each_machine(report, check_shapes(), [&](const CheckShape& one, const AskedCase& asked) {
    if (!check_each(policy, asked, seed, report)) return;
    const std::uint64_t sum = sum_asked_twice(policy, asked, seed, report);
    report.value("sum " + one.name, std::to_string(sum));
    note_what_has_no_effect(policy, asked, seed, report);
  });
}

void check_sums_backwards(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                          ProbeReport& report) {
  std::vector<CheckShape> shapes = check_shapes();
  std::ranges::reverse(shapes);
  on_each_machine(report, shapes, [&](const CheckShape& one, const AskedCase& asked) {
    std::vector<Question> all = questions(policy, asked.shape);
    std::ranges::reverse(all);
    if (sum_asked(policy, asked, seed, all, 0) != sum_at(sums, one.name))
      report.breaks({"depends on call order", "",
                     "the answers are others when they are asked for from the last to the first"});
  });
}

void check_sums_forwards(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                         ProbeReport& report) {
  on_each_machine(report, check_shapes(), [&](const CheckShape& one, const AskedCase& asked) {
    if (sum_asked(policy, asked, seed, questions(policy, asked.shape), 0) != sum_at(sums, one.name))
      report.breaks({"differs between processes", "", kUnlike});
  });
}

void check_sums_of_threads(const Policy& policy, std::uint64_t seed, const AnswerSums& sums,
                           ProbeReport& report) {
  on_each_machine(report, check_shapes(), [&](const CheckShape& one, const AskedCase& asked) {
    if (!sums.contains(one.name)) return;
    const std::string wrong = AskingThreads(policy, asked, seed, sum_at(sums, one.name)).run();
    if (!wrong.empty())
      report.breaks({"not thread-safe", "",
                     fmt::format("one of {} threads that ask at once {}", kThreads, wrong)});
  });
}

}  // namespace toroid
