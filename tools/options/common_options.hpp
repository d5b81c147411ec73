// Command-line options that several commands share.
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

/// Option texts as typed; the functions below convert them to values and throw BadInput.
struct CommonOptions {
  std::string machine = "bgl";
  std::string fabric = "sim";
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0 if not typed: a number that suits the host
  std::string bind = "core";
  std::string route = "auto";
  std::string transfer;            ///< empty if not typed: automatic, on sim in packets
  double stall = 10;               ///< seconds without progress that end the run
  double limit = 0;                ///< longest time of the run in seconds; 0: no limit
  std::uint64_t limit_cycles = 0;  ///< longest virtual time of the run; 0: no limit
  std::string provider;            ///< name of a libfabric provider; empty: the best one
  bool unsafe_provider = false;    ///< allows providers through which strangers can end a run
  std::string frames;              ///< how frames travel on ofi; empty if not typed: auto
  std::string json;                ///< path of the file, or "-" for standard output; empty if none
  bool quiet = false;
};

/// Link errors as typed.
struct LinkErrorOptions {
  std::vector<std::string> rates;  ///< RATE or RATE@LINK
  std::string faults = "all";
  unsigned burst = 1;
  std::uint64_t limit = 0;  ///< 0 if links never fail because of their errors

  /// Returns the link errors: the rate of the machine, if it is above 0, and the typed rates.
  /// Without any rate the result is LinkErrors(). Throws BadInput.
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
// Parts of these options, for commands that have only some of them.
void add_machine_option(CLI::App& verb, std::string& machine);
void add_seed_option(CLI::App& verb, std::uint64_t& seed);
void add_worker_options(CLI::App& verb, CommonOptions& options);
void add_output_options(CLI::App& verb, CommonOptions& options);
void add_json_option(CLI::App& verb, std::string& json);
/// Adds --peers, which works only on `sim`.
void add_peers_option(CLI::App& verb, Rank& peers);
/// Adds --link-faults, --link-burst and --link-error-limit.
void add_link_fault_options(CLI::App& verb, LinkErrorOptions& options);
void add_torus_options(CLI::App& verb, TorusOptions& options);

enum class FabricName : std::uint8_t { sim, shm, ofi };
inline constexpr std::array<std::string_view, 3> kFabricNames = {"sim", "shm", "ofi"};
inline constexpr std::array<std::string_view, 3> kTimeKinds = {"virtual", "shm", "ofi"};

/// The libfabric providers that `ofi` supports. The libfabric of a host has only some of them.
inline constexpr std::array<std::string_view, 10> kProviderNames = {
    "shm",           "cxi",         "efa", "psm3",        "psm2",
    "verbs;ofi_rxm", "tcp;ofi_rxm", "net", "udp;ofi_rxd", "sockets"};

/// Throws BadInput if errors of links are set but packets cross no links. On `ofi` a rate without a
/// link is accepted on every route, because it also applies to the frames between processes.
void refuse_link_errors_without_effect(const LinkErrors& errors, FabricName fabric,
                                       RingRoute route);
/// Returns the shape including its failures, which may leave no path between some nodes: see
/// check_paths().
Shape shape_of(const TorusOptions& torus);
/// Throws BadInput if the torus is twisted: its lines and planes are then not tori, so exchanges
/// within them have no bound.
void refuse_twisted(const Shape& shape);
Binding binding_of(const CommonOptions& common);

}  // namespace toroid
