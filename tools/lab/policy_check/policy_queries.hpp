// The questions that a policy can be asked about a machine, and a checksum of its answers.
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

/// A question to a policy. It is about the settings, a node's order in a round, or the relays of
/// its packets.
struct Question {
  enum class Of : std::uint8_t { settings, order, relays } of;
  Rank self = 0;
  std::uint32_t round = 0;
  bool inside_larger = false;  ///< whether the machine is part of a larger one
};

/// A machine with an all-to-all on it.
struct AskedCase {
  explicit AskedCase(const Shape& on);
  PolicyCase policy_case() const { return {shape, machine, *traffic}; }
  Shape shape;
  Machine machine;
  std::unique_ptr<const Traffic> traffic;
};

/// All questions about a machine. On more than 2,048 nodes they are about nodes at equal distances
/// in rank, so that there are about four million pairs of nodes at most.
std::vector<Question> questions(const Policy& policy, const Shape& shape);
std::string text_of(const Shape& shape, const Question& question);

/// The peers in an order. An order that is too long is cut to one peer more than a correct one has.
std::vector<Rank> peers_of(const Policy& policy, const Shape& shape, const Question& question,
                           std::uint64_t seed);
/// The nodes that a packet visits from source to destination, both included; it ends early at an
/// invalid rank.
std::vector<Rank> way_of(const Policy& policy, const Shape& shape, Rank from, Rank to);

/// A checksum of the answer.
std::uint64_t answer(const Policy& policy, const AskedCase& asked, const Question& question,
                     std::uint64_t seed);
/// A checksum of all answers, independent of their order. All questions are asked, starting with
/// the one at index `first`.
std::uint64_t sum_asked(const Policy& policy, const AskedCase& asked, std::uint64_t seed,
                        std::span<const Question> all, std::size_t first);

}  // namespace toroid
