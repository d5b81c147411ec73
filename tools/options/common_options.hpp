// What all commands have in common on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/failures.hpp"
#include "hal/link_errors.hpp"
#include "hal/machine.hpp"
#include "hal/shape.hpp"
#include "router/placement/placement.hpp"
#include "router/shm/ring_fabric.hpp"
#include "tools/options/cli_fwd.hpp"
#include "tools/options/policy_options.hpp"

namespace toroid {

/// Texts as typed; the functions below turn them into values and throw BadInput.
struct CommonOptions {
  std::string machine = "bgl";
  std::string fabric = "sim";
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: as many as fit the machine
  std::string bind = "core";
  std::string route = "auto";
  std::string transfer;          ///< empty: as the fabric has it; on sim in packets
  double stall = 10;             ///< seconds
  std::string provider;          ///< of libfabric; empty: the best
  bool unsafe_provider = false;  ///< the provider may be one that strangers can end
  std::string frames;            ///< how they travel on ofi; empty: auto
  std::string json;              ///< empty: none; "-": standard output
  bool quiet = false;
};

/// Links that err, as typed.
struct LinkErrorOptions {
  std::vector<std::string> rates;  ///< RATE or RATE@LINK
  std::string faults = "all";
  unsigned burst = 1;
  std::uint64_t limit = 0;  ///< 0: links never fail for their errors

  /// Those of the machine file come first; without a rate there are none. Throws BadInput.
  LinkErrors errors(const Machine& machine) const;
};

struct TorusOptions {
  std::string torus;
  bool mesh = false;
  FailureList failures;
  LinkErrorOptions link_errors;
  PolicyOptions policy;
  bool no_transit_first = false;
  bool no_bubble = false;
};

void add_common_options(CLI::App& verb, CommonOptions& options);
/// The same for runs that have one process.
void add_options_of_one_process(CLI::App& verb, CommonOptions& options);
// Parts of these options, for commands that have no more.
void add_machine_option(CLI::App& verb, std::string& machine);
void add_seed_option(CLI::App& verb, std::uint64_t& seed);
void add_worker_options(CLI::App& verb, CommonOptions& options);
void add_output_options(CLI::App& verb, CommonOptions& options);
void add_json_option(CLI::App& verb, std::string& json);
/// --peers, of `sim`.
void add_peers_option(CLI::App& verb, Rank& peers);
/// --link-faults, --link-burst and --link-error-limit.
void add_link_fault_options(CLI::App& verb, LinkErrorOptions& options);
void add_torus_options(CLI::App& verb, TorusOptions& options);

enum class FabricName : std::uint8_t { sim, shm, ofi };
inline constexpr std::array<std::string_view, 3> kFabricNames = {"sim", "shm", "ofi"};
inline constexpr std::array<std::string_view, 3> kTimeKinds = {"virtual", "shm", "ofi"};

/// The providers that `ofi` knows how to use; the libfabric of a host has some of them.
inline constexpr std::array<std::string_view, 10> kProviderNames = {
    "shm",           "cxi",         "efa", "psm3",        "psm2",
    "verbs;ofi_rxm", "tcp;ofi_rxm", "net", "udp;ofi_rxd", "sockets"};

/// Throws BadInput where packets cross no link that could err.
void refuse_link_errors_without_effect(const LinkErrors& errors, FabricName fabric,
                                       RingRoute route);
/// Its failures included. Throws BadInput where they cut nodes that live off from one another.
Shape shape_of(const TorusOptions& torus);
/// Throws BadInput where rings close after several rounds only: what communicates in lines and
/// planes has no bound there.
void refuse_twisted(const Shape& shape);
Binding binding_of(const CommonOptions& common);

}  // namespace toroid
