// Which settings of a policy anything reads, by what is sent and by the fabric's route; the others
// are refused where a user gives them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "packet/node/settings.hpp"
#include "packet/policies/policy.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/options/common_options.hpp"
#include "tools/run/run_options.hpp"
#include "tools/text/json.hpp"

namespace toroid {

/// The kinds of messages that commands send.
enum class Sent : std::uint8_t {
  exchanges,  ///< of a group's members, by the exchange engine
  messages,   ///< one after the other to given nodes, in rounds of b packets
  streams,    ///< one after the other to given nodes
  shifts,     ///< blocks to neighbours in rings, or where nodes share memory pointers to them
};
inline constexpr std::array<std::string_view, 4> kSentNames = {"exchanges", "messages", "streams",
                                                               "shifts"};

/// Which groups of settings are read, as the table of option effects has it. `by_exchange`: order,
/// relays, combining and throttle.
struct PolicyEffects {
  bool by_exchange = true;
  bool packets_per_visit = true;
  bool output_queues = true;
  bool by_link = true;   ///< drain, tying, routing, tie, and the rules of the routers
  bool releases = true;  ///< times before which messages do not go
  bool transfer = true;  ///< how messages move
  bool puts = false;     ///< they may by put, blocks of ring shifts by pointer
};
PolicyEffects policy_effects(Sent sent, FabricName fabric, RingRoute route);

/// Throws BadInput where a policy holds messages back and nothing reads until when; `what` names
/// the run in the message, as "replay".
void refuse_releases_without_effect(const Policy& policy, const PolicyEffects& effects,
                                    const std::string& what, const RunOptions& run);
/// Throws BadInput where a policy differs from `random` only in what nothing reads, whatever the
/// torus; for releases too.
void refuse_policy_without_effect(const Policy& policy, const PolicyEffects& effects,
                                  const std::string& what, const RunOptions& run,
                                  const Machine& machine);
/// Throws BadInput where puts are asked for on this torus and the policy sends by way of others.
void refuse_impossible_put(const RunOptions& run, const Shape& shape);

/// policy, order, packets_per_visit, output_queues, drain, tying, routing, tie, throttle: null
/// where nothing reads it or, of the throttle, where there is none.
Json policy_json(const Policy& policy, const PolicySettings& settings,
                 const PolicyEffects& effects);
/// The same for the policy and settings of the run's nodes.
Json policy_json(const RunOptions& run, const PolicyEffects& effects);

/// The run with nodes that its policy sets up where no exchange asks it: for streams and messages.
RunOptions under_policy(RunOptions run, const Shape& shape, const Machine& machine);

}  // namespace toroid
