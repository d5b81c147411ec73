#include "packet/policies/policies.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "packet/policies/builders.hpp"

namespace toroid {
namespace {

using policies::PolicyPointer;

struct Entry {
  std::string_view name;
  std::string_view what;
  PolicyPointer (*build)(unsigned);
  std::string_view parameter = {};  ///< meaning of the number after the colon; empty if none
  unsigned usual = 0;
  unsigned least = 0;
  unsigned most = 0;
};

constexpr std::array kEntries = {
    Entry{"random", "visits its peers in its own random order", policies::random_policy},
    Entry{"same-seed", "visits peers in a random order of offsets that is the same on all nodes",
          policies::same_seed_policy},
    Entry{"rank", "visits ranks 0, 1, 2, ...", policies::rank_policy},
    Entry{"shift", "visits ranks self+1, self+2, ...", policies::shift_policy},
    Entry{"xor", "visits self^1, self^2, ...", policies::xor_policy},
    Entry{"random-rounds", "visits its peers in a new random order every round",
          policies::random_rounds_policy},
    Entry{"farthest-first", "visits the farthest peers first, equally far ones in random order",
          policies::farthest_first_policy},
    Entry{"two-phase",
          "sends along the longest dimension first, then from a relay along the others",
          policies::two_phase_policy},
    Entry{"three-phase",
          "sends in a phase per dimension and combines all blocks for one coordinate",
          policies::three_phase_policy},
    Entry{"virtual-mesh",
          "sends along rows of ranks, then along columns, and combines messages; by default as "
          "square as possible",
          policies::virtual_mesh_policy, "rows", 0, 1, 1u << 24},
    Entry{"bruck", "sends in a phase per digit of the distance in ranks and combines messages",
          policies::bruck_policy, "radix", 2, 2, 1u << 24},
    Entry{"throttled", "limits injection to a share of the rate that the bound allows",
          policies::throttled_policy, "percent of the bound's rate", 100, 1, 10000},
    Entry{"windowed", "limits the number of unacknowledged packets", policies::windowed_policy,
          "packets", 16, 1, 1u << 24},
    Entry{"queues", "packets wait in several output queues, assigned to peers in turn",
          policies::queues_policy, "output queues", 6, 1, 32767},
    Entry{"queue-per-peer", "packets wait in one output queue per peer",
          policies::queue_per_peer_policy},
    Entry{"queue-per-direction",
          "packets wait in one output queue per direction, chosen by their first possible "
          "direction",
          policies::queue_per_direction_policy},
    Entry{"valiant", "sends every packet by way of a random node", policies::valiant_policy},
    Entry{"deterministic", "packets go X, then Y, then Z", policies::deterministic_policy},
    Entry{"random-dimensions", "packets take the dimensions in random order",
          policies::random_dimensions_policy},
    Entry{"first-fit",
          "a packet takes the first injection FIFO with room that serves one of its directions",
          policies::first_fit_policy},
    Entry{"round-robin",
          "a packet takes the next injection FIFO in turn that has room and serves one of its "
          "directions",
          policies::round_robin_policy},
    Entry{"any-fifo", "injection FIFOs are not tied to directions", policies::any_fifo_policy},
    Entry{"fifo-per-dimension", "injection FIFOs are tied to dimensions",
          policies::fifo_per_dimension_policy}};

const Entry& entry_of(std::string_view name) {
  for (const Entry& entry : kEntries)
    if (entry.name == name) return entry;
  std::array<std::string_view, kEntries.size()> names;
  std::ranges::transform(kEntries, names.begin(), &Entry::name);
  throw BadInput(
      fmt::format("unknown policy '{}'; known: {}", shortened(name), fmt::join(names, ", ")));
}

unsigned parameter_of(const Entry& entry, std::string_view text) {
  const auto value = parse_number<unsigned>(text);
  if (entry.parameter.empty())
    throw BadInput(fmt::format("policy '{}' has no parameter, but ':{}' was given", entry.name,
                               shortened(text)));
  if (!value || *value < entry.least || *value > entry.most)
    throw BadInput(
        fmt::format("policy '{0}:{1}': '{1}' is not a whole number from {2} to {3} ({4})",
                    entry.name, shortened(text), entry.least, entry.most, entry.parameter));
  return *value;
}

const Entry& entry_of_policy(std::string_view name) {
  return entry_of(name.substr(0, name.find(':')));
}

}  // namespace

std::string_view policy_definition(std::string_view name) {
  return entry_of_policy(name).what;
}
std::string_view policy_parameter(std::string_view name) {
  return entry_of_policy(name).parameter;
}

std::span<const Policy* const> built_in_policies() {
  static const auto all = [] {
    std::array<const Policy*, kEntries.size()> built;
    std::ranges::transform(kEntries, built.begin(),
                           [](const Entry& entry) { return &policy_by_name(entry.name); });
    return built;
  }();
  return all;
}

const Policy& policy_by_name(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, PolicyPointer, std::less<>> built;
  const std::size_t colon = name.find(':');
  const Entry& entry = entry_of_policy(name);
  const unsigned parameter =
      colon == std::string_view::npos ? entry.usual : parameter_of(entry, name.substr(colon + 1));
  PolicyPointer policy = entry.build(parameter);
  const std::lock_guard lock(mutex);
  return *built.try_emplace(std::string(policy->name()), std::move(policy)).first->second;
}

}  // namespace toroid
