#include "router/ofi/provider_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/job/job.hpp"
#include "router/ofi/frame_way.hpp"
#include "router/ofi/ofi_fabric.hpp"
#include "router/ofi/providers.hpp"
#include "router/placement/placement.hpp"

namespace toroid::ofi {
namespace {

bool on_one_host(const Job& job) {
  for (unsigned p = 1; p < job.size(); ++p)
    if (job.process(p).kernel != job.process(0).kernel ||
        job.process(p).host != job.process(0).host)
      return false;
  return true;
}

/// The address by which others reach this process; a process that is alone is not reached.
std::string address_of(const Job& job) {
  return job.size() == 1 ? "127.0.0.1" : job.process(job.rank()).address;
}

/// A byte for each name: 1 if the provider can be used here.
Blob usable(const std::vector<std::string>& names, const Providers& providers) {
  Blob blob;
  for (const std::string& name : names)
    blob.push_back(std::byte{providers.get(name).info != nullptr});
  return blob;
}

/// All processes exchange their reasons, so that each can say where the provider is missing.
Candidate wanted_by_all(Job& job, const std::string& name, const Providers& providers) {
  Candidate candidate = providers.get(name);
  const std::string reason = candidate.info != nullptr ? "" : candidate.reason;
  const auto reasons = job.all_gather(std::as_bytes(std::span(reason)));
  for (unsigned p = 0; p < job.size(); ++p)
    if (!reasons[p].empty())
      throw BadInput(fmt::format("provider {} cannot be used by {}: {}", name, job.name(p),
                                 text_of(reasons[p])));
  return candidate;
}

/// One of the PUs that the worker stays on; none: it may run anywhere.
std::optional<unsigned> pu_of(const WorkerPlace& worker) {
  return worker.pus.empty() ? std::nullopt : std::optional(worker.pus.front());
}

Candidate same_of_all(Job& job, const std::string& wanted, const Providers& providers) {
  if (!wanted.empty()) return wanted_by_all(job, wanted, providers);
  const auto names = provider_names(on_one_host(job) ? Distance::one_host : Distance::hosts);
  const auto flags = job.all_gather(usable(names, providers));
  for (std::size_t n = 0; n < names.size(); ++n)
    if (std::all_of(flags.begin(), flags.end(),
                    [n](const Blob& f) { return f.at(n) != std::byte{0}; }))
      return providers.get(names[n]);
  throw BadInput("no provider of libfabric can be used by all processes; see toroid info");
}

/// What all processes can do by remote memory access, and what serves them all.
struct Common {
  bool writes = true;
  bool reads = true;
  Preference preference{true, true, SIZE_MAX};
};

Common common_to_all(Job& job, const Candidate& provider, FrameWay frames) {
  const Preference mine = preference_for(provider.name);
  using Words = std::array<std::uint64_t, 5>;
  const auto told = job.all_gather(blob_of(
      Words{provider.writes, provider.least_read > 0, mine.writes, mine.reads, mine.frame_bytes}));
  Common all;
  for (unsigned p = 0; p < job.size(); ++p) {
    const auto [writes, reads, by_writes, by_reads, frame_bytes] = value_of<Words>(told[p]);
    if (frames == FrameWay::writes && writes == 0)
      throw BadInput(
          fmt::format("{} cannot write frames by provider {}", job.name(p), provider.name));
    all.writes &= writes != 0;
    all.reads &= reads != 0;
    all.preference.writes &= by_writes != 0;
    all.preference.reads &= by_reads != 0;
    all.preference.frame_bytes = std::min<std::size_t>(all.preference.frame_bytes, frame_bytes);
  }
  return all;
}

/// The provider with the remote memory access that is wanted, if any.
Candidate with_remote(Candidate provider, const Common& all, FrameWay frames,
                      const Providers& providers) {
  if (frames == FrameWay::messages) return providers.get(provider.name, false);
  const bool asked_for = frames == FrameWay::writes;
  if (!all.reads || !(asked_for || all.preference.reads)) provider.least_read = 0;
  provider.writes = all.writes && (asked_for || all.preference.writes);
  if (provider.writes || provider.least_read > 0) return provider;
  return providers.get(provider.name, false);
}

}  // namespace

Candidate choose_provider(Job& job, const OfiOptions& wanted, const WorkerPlace& gateway) {
  const Providers providers(address_of(job), pu_of(gateway));
  Candidate provider = same_of_all(job, wanted.provider, providers);
  const Common all = common_to_all(job, provider, wanted.frames);
  Candidate chosen = with_remote(std::move(provider), all, wanted.frames, providers);
  chosen.frame_bytes = all.preference.frame_bytes;
  return chosen;
}

}  // namespace toroid::ofi
