// What a policy can be asked about a machine, and a sum of what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/policies/policy.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// A question: the order of a node in a round, or the ways of what it sends.
struct Question {
  enum class Of : std::uint8_t { settings, order, relays } of;
  Rank self = 0;
  std::uint32_t round = 0;
  bool inside_larger = false;  ///< whether the machine is a part of a larger one
};

/// The case of a machine under an all-to-all.
struct AskedCase {
  explicit AskedCase(const Shape& on);
  PolicyCase policy_case() const { return {shape, machine, *traffic}; }
  Shape shape;
  Machine machine;
  std::unique_ptr<const Traffic> traffic;
};

/// All questions about a machine.
std::vector<Question> questions(const Policy& policy, const Shape& shape);
std::string text_of(const Shape& shape, const Question& question);

/// The peers that an order goes to; no more than could be right and one.
std::vector<Rank> peers_of(const Policy& policy, const Shape& shape, const Question& question,
                           std::uint64_t seed);
/// Where a packet passes, from its source to its destination.
std::vector<Rank> way_of(const Policy& policy, const Shape& shape, Rank from, Rank to);

/// A number that follows from the answer.
std::uint64_t answer(const Policy& policy, const AskedCase& asked, const Question& question,
                     std::uint64_t seed);
/// A number that follows from all answers, in whatever sequence: all are asked, the one at `first`
/// first.
std::uint64_t sum_asked(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                        std::span<const Question> all, std::size_t first);

}  // namespace toroid
