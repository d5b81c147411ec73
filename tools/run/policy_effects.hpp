// Which settings of a policy have an effect, depending on the kind of messages, the fabric and the
// route. Settings without effect are refused if a user gives them.
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
  exchanges,  ///< among a group's members, by the exchange engine
  messages,   ///< one after the other to given nodes, in rounds of b packets
  streams,    ///< one after the other to given nodes
  shifts,     ///< blocks to neighbours in rings, or pointers to them if nodes share memory
};
inline constexpr std::array<std::string_view, 4> kSentNames = {"exchanges", "messages", "streams",
                                                               "shifts"};

/// Which groups of settings have an effect, according to the table of option effects.
/// `by_exchange`: order, relays, combining and throttle.
struct PolicyEffects {
  bool by_exchange = true;
  bool packets_per_visit = true;
  bool output_queues = true;
  bool by_link = true;   ///< drain, tying, routing, tie, and the routers' rules
  bool releases = true;  ///< times before which messages are held back
  bool transfer = true;  ///< how messages move (--transfer)
  bool puts = false;     ///< messages may move by put, or blocks of shifts by pointer
};
PolicyEffects policy_effects(Sent sent, FabricName fabric, RingRoute route);

/// Throws BadInput if a policy has release times but they have no effect. `what` is the name of the
/// run in the message, e.g. "replay".
void refuse_releases_without_effect(const Policy& policy, const PolicyEffects& effects,
                                    const std::string& what, const RunOptions& run);
/// Throws BadInput if a policy differs from `random` only in settings without effect, or if it has
/// release times without effect. The outcome does not depend on the torus.
void refuse_policy_without_effect(const Policy& policy, const PolicyEffects& effects,
                                  const std::string& what, const RunOptions& run,
                                  const Machine& machine);
/// Throws BadInput if the run requests puts but its policy relays or combines messages on this
/// torus.
void refuse_impossible_put(const RunOptions& run, const Shape& shape);

/// JSON with the keys policy, order, packets_per_visit, output_queues, drain, tying, routing, tie
/// and throttle. A value is null if the setting has no effect, or if there is no throttle.
Json policy_json(const Policy& policy, const PolicySettings& settings,
                 const PolicyEffects& effects);
/// policy_json() for the policy and settings of the run's nodes.
Json policy_json(const RunOptions& run, const PolicyEffects& effects);

/// Returns the run with the settings of its policy as the settings of its nodes. Streams and
/// messages need this; an exchange applies the settings itself.
RunOptions under_policy(RunOptions run, const Shape& shape, const Machine& machine);

}  // namespace toroid
