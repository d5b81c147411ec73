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
#include <string_view>
#include <utility>
#include <vector>

#include "hal/check.hpp"
#include "router/job/blob.hpp"
#include "router/ofi/frame.hpp"
#include "router/ofi/message_or_write.hpp"

namespace toroid::ofi {
namespace {

bool on_one_host(const Job& job) {
  for (unsigned p = 1; p < job.size(); ++p)
    if (job.process(p).kernel != job.process(0).kernel ||
        job.process(p).host != job.process(0).host)
      return false;
  return true;
}

/// The address at which other processes reach this one; a single process uses the loopback.
std::string address_of(const Job& job) {
  return job.size() == 1 ? "127.0.0.1" : job.process(job.rank()).address;
}

/// One byte per name: 1 if the provider can be used here.
Blob usable(const std::vector<std::string>& names, const Providers& providers) {
  Blob blob;
  for (const std::string& name : names)
    blob.push_back(std::byte{providers.get(name).info != nullptr});
  return blob;
}

/// Returns the provider `name`. Throws BadInput if a process cannot use it: all processes exchange
/// their reasons, so that each can report which process it is.
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

/// A PU to which the worker is bound; nullopt if it may run anywhere.
std::optional<unsigned> pu_of(const WorkerPlace& worker) {
  return worker.pus.empty() ? std::nullopt : std::optional(worker.pus.front());
}

/// With this provider the loss of a process can block the others: processes that send by `shm` hold
/// locks in each other's memory, so a killed process may leave a lock held.
constexpr std::string_view kLosesMore = "shm";

Candidate same_of_all(Job& job, const OfiOptions& options, const Providers& providers) {
  const bool goes_on = options.on_loss == OnLoss::go_on;
  const std::string& wanted = options.provider;
  if (goes_on && wanted == kLosesMore)
    throw BadInput(
        "provider shm cannot be used with --continue-without: a process that dies can block the "
        "others");
  if (!wanted.empty()) return wanted_by_all(job, wanted, providers);
  auto names = provider_names(on_one_host(job) ? Distance::one_host : Distance::hosts);
  std::erase_if(names, [](const std::string& name) { return !why_unsafe(name).empty(); });
  if (goes_on) std::erase(names, kLosesMore);
  const auto flags = job.all_gather(usable(names, providers));
  for (std::size_t n = 0; n < names.size(); ++n)
    if (std::all_of(flags.begin(), flags.end(),
                    [n](const Blob& f) { return f.at(n) != std::byte{0}; }))
      return providers.get(names[n]);
  throw BadInput("no provider of libfabric can be used by all processes; see toroid info");
}

/// The kinds of remote memory access that all processes support.
struct Remote {
  bool writes = true;
  bool reads = true;
};

Remote remote_of_all(Job& job, const Candidate& provider, FrameWay frames) {
  const auto able =
      job.all_gather(Blob{std::byte{provider.writes}, std::byte{provider.least_read > 0}});
  Remote all;
  for (unsigned p = 0; p < job.size(); ++p) {
    if (frames == FrameWay::writes && able[p].at(0) == std::byte{0})
      throw BadInput(fmt::format("{} cannot write frames with provider {}; use --frames messages",
                                 job.name(p), provider.name));
    all.writes &= able[p].at(0) != std::byte{0};
    all.reads &= able[p].at(1) != std::byte{0};
  }
  return all;
}

/// The provider, restricted to the remote memory access that is wanted and supported.
Candidate with_remote(Candidate provider, const Remote& all, const Preference& preference,
                      FrameWay frames, const Providers& providers) {
  if (frames == FrameWay::messages) return providers.get(provider.name, false);
  const bool asked_for = frames == FrameWay::writes;
  if (!all.reads || !(asked_for || preference.reads)) provider.least_read = 0;
  provider.writes = all.writes && (asked_for || preference.writes);
  if (provider.writes || provider.least_read > 0) return provider;
  return providers.get(provider.name, false);
}

void refuse_unsafe(const OfiOptions& wanted) {
  const std::string_view why = why_unsafe(wanted.provider);
  if (!why.empty() && !wanted.unsafe_provider)
    throw BadInput(fmt::format("provider {} is unsafe: {}; --unsafe-provider allows it",
                               wanted.provider, why));
}

}  // namespace

Candidate choose_provider(Job& job, const OfiOptions& wanted, const WorkerPlace& gateway) {
  refuse_unsafe(wanted);
  const bool checked = wanted.ring.routing.link_errors.are_checked();
  if (checked && wanted.frames == FrameWay::writes)
    throw BadInput("link errors need --frames messages: written frames cannot be resent");
  const FrameWay frames = checked ? FrameWay::messages : wanted.frames;
  const Providers providers(address_of(job), pu_of(gateway));
  Candidate provider = same_of_all(job, wanted, providers);
  const Remote all = remote_of_all(job, provider, frames);
  const Preference preference = preference_of_all(job, preference_for(provider.name));
  Candidate chosen = with_remote(std::move(provider), all, preference, frames, providers);
  chosen.frame_bytes = preference.frame_bytes;
  return chosen;
}

Preference preference_of_all(Job& job, const Preference& mine) {
  using Words = std::array<std::uint64_t, 3>;
  Preference all = mine;
  for (const Blob& told :
       job.all_gather(blob_of(Words{mine.writes, mine.reads, mine.frame_bytes}))) {
    const auto [writes, reads, frame_bytes] = value_of<Words>(told);
    if (frame_bytes == 0 || frame_bytes % kFrameAlignment != 0)
      throw RunFailed(fmt::format("a process wants frames of {} bytes, not a multiple of {}",
                                  frame_bytes, kFrameAlignment));
    all.writes &= writes != 0;
    all.reads &= reads != 0;
    all.frame_bytes = std::min<std::size_t>(all.frame_bytes, frame_bytes);
  }
  return all;
}

}  // namespace toroid::ofi
