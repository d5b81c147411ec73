#include "router/ofi/provider_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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
#include "router/ofi/shared_memory_trial.hpp"
#include "router/shm/ring_fabric.hpp"

namespace toroid::ofi {
namespace {

/// The address at which other processes reach this one; a single process uses the loopback.
std::string address_of(const Job& job) {
  return job.size() == 1 ? "127.0.0.1" : job.process(job.rank()).address;
}

/// A PU to which the worker is bound; nullopt if it may run anywhere.
std::optional<unsigned> pu_of(const WorkerPlace& worker) {
  return worker.pus.empty() ? std::nullopt : std::optional(worker.pus.front());
}

/// With this provider the loss of a process can block the others: processes that send by `shm` hold
/// locks in each other's memory, so a killed process may leave a lock held.
constexpr std::string_view kLosesMore = "shm";

/// The provider that needs the least: TCP. If it is refused, the reason is of interest.
constexpr std::string_view kMostGeneral = "tcp;ofi_rxm";

/// The providers to try, best first.
std::vector<std::string> names_to_try(const OfiOptions& options) {
  const bool goes_on = options.on_loss == OnLoss::go_on;
  if (goes_on && options.provider == kLosesMore)
    throw BadInput(
        "provider shm cannot be used with --continue-without: a process that dies can block the "
        "others");
  if (!options.provider.empty()) return {options.provider};
  auto names = provider_names();
  std::erase_if(names, [](const std::string& name) { return !why_unsafe(name).empty(); });
  if (goes_on) std::erase(names, kLosesMore);
  return names;
}

/// What a process says of each provider: why it cannot use it; empty if it can.
using Says = std::vector<std::string>;

constexpr char kTextEnd = '\0';  ///< ends each of these texts on their way to other processes

Says says_of(const Job& job, unsigned process, const Blob& told, std::size_t texts) {
  Says says;
  const std::string whole = text_of(told);
  for (std::size_t at = 0, end = 0; (end = whole.find(kTextEnd, at)) != std::string::npos;
       at = end + 1)
    says.push_back(one_line(whole.substr(at, end - at)));
  if (says.size() != texts)
    throw RunFailed(fmt::format("{} knows other providers", job.name(process)));
  return says;
}

/// What each process says of the providers `names`.
std::vector<Says> gather_says(Job& job, const std::vector<std::string>& names,
                              const Providers& providers) {
  std::string mine;
  for (const std::string& name : names) {
    const Candidate candidate = providers.get(name);
    mine += (candidate.info != nullptr ? "" : candidate.reason) + kTextEnd;
  }
  const auto told = job.all_gather(std::as_bytes(std::span(mine)));
  std::vector<Says> all;
  for (unsigned p = 0; p < job.size(); ++p) all.push_back(says_of(job, p, told[p], names.size()));
  return all;
}

/// Why the first process that cannot use provider `n` cannot; empty if all can.
std::string why_not_offered(const Job& job, const std::string& name, std::size_t n,
                            const std::vector<Says>& says) {
  for (unsigned p = 0; p < job.size(); ++p)
    if (!says[p][n].empty())
      return fmt::format("provider {} cannot be used by {}: {}", name, job.name(p), says[p][n]);
  return {};
}

/// A process whose kernel is not that of process 0; 0 if all have one kernel.
unsigned another_kernel(const Job& job) {
  unsigned p = job.size() - 1;
  while (p > 0 && job.process(p).kernel == job.process(0).kernel) --p;
  return p;
}

/// Why the processes cannot share memory.
std::string why_not_shared(Job& job) {
  if (const unsigned p = another_kernel(job); p > 0)
    return fmt::format("provider shm cannot be used: {} and {} are on different hosts", job.name(0),
                       job.name(p));
  const std::string why = why_memory_is_not_shared(job);
  return why.empty() ? why : "provider shm cannot be used: " + why;
}

/// Why not every process has opened its endpoint; empty if every one has.
std::string why_not_opened(Job& job, const Candidate& provider, const OpenProvider& open) {
  std::string mine;
  try {
    open(provider);
  } catch (const RunFailed& failure) {
    mine = failure.what();
  }
  const auto all = job.all_gather(std::as_bytes(std::span(mine)));
  for (unsigned p = 0; p < job.size(); ++p)
    if (!all[p].empty())
      return fmt::format("provider {} cannot be used by {}: {}", provider.name, job.name(p),
                         one_line(text_of(all[p])));
  return {};
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

/// Says that better providers are not used although they were expected to work.
void give_notice(const Job& job, const RingOptions& ring, const std::string& text) {
  if (job.rank() != 0 || text.empty()) return;
  if (ring.notice)
    ring.notice(text);
  else
    std::fputs(("toroid: " + text + "\n").c_str(), stderr);
}

/// Tries providers until all processes have opened one.
class ProviderTrials {
 public:
  ProviderTrials(Job& job, const OfiOptions& wanted, const Providers& providers,
                 const OpenProvider& open)
      : job_(job),
        wanted_(wanted),
        providers_(providers),
        open_(open),
        names_(names_to_try(wanted)),
        says_(gather_says(job, names_, providers)) {}

  Candidate first_that_opens(FrameWay frames) {
    for (std::size_t n = 0; n < names_.size(); ++n) {
      if (is_refused(n)) continue;
      Candidate candidate = agreed(names_[n], frames);
      const std::string why = why_not_opened(job_, candidate, open_);
      if (why.empty()) {
        give_notice(job_, wanted_.ring,
                    surprise_.empty() ? "" : surprise_ + "; the run uses " + candidate.name);
        return candidate;
      }
      surprise_ = why;
      open_failed_ = true;
    }
    give_up();
  }

 private:
  bool is_refused(std::size_t n) {
    const bool shares = stays_in_memory(names_[n]);
    std::string why = why_not_offered(job_, names_[n], n, says_);
    if (why.empty() && shares) why = why_not_shared(job_);
    if (why.empty()) return false;
    const bool is_news =
        shares && another_kernel(job_) == 0 && why.find(kNotInLibrary) == std::string::npos;
    if (is_news) surprise_ = why;
    if (names_.size() == 1 || names_[n] == kMostGeneral) refusal_ = why;
    return true;
  }

  Candidate agreed(const std::string& name, FrameWay frames) {
    Candidate provider = providers_.get(name);
    const Remote all = remote_of_all(job_, provider, frames);
    const Preference preference = preference_of_all(job_, preference_for(name));
    Candidate chosen = with_remote(std::move(provider), all, preference, frames, providers_);
    chosen.frame_bytes = preference.frame_bytes;
    return chosen;
  }

  [[noreturn]] void give_up() const {
    if (open_failed_) throw RunFailed(surprise_);
    if (names_.size() == 1) throw BadInput(refusal_);
    throw BadInput("no provider of libfabric can be used by all processes; " + refusal_ +
                   "; see toroid info");
  }

  Job& job_;
  const OfiOptions& wanted_;
  const Providers& providers_;
  const OpenProvider& open_;
  std::vector<std::string> names_;
  std::vector<Says> says_;    ///< [process]
  std::string surprise_;      ///< why a provider that was expected to work does not
  std::string refusal_;       ///< why the wanted provider, or the most general one, is refused
  bool open_failed_ = false;  ///< whether an attempt to open has failed
};

}  // namespace

Candidate choose_provider(Job& job, const OfiOptions& wanted, const WorkerPlace& gateway,
                          const OpenProvider& open) {
  refuse_unsafe(wanted);
  const bool checked = wanted.ring.routing.link_errors.are_checked();
  if (checked && wanted.frames == FrameWay::writes)
    throw BadInput("link errors need --frames messages: written frames cannot be resent");
  const Providers providers(address_of(job), pu_of(gateway));
  ProviderTrials trials(job, wanted, providers, open);
  return trials.first_that_opens(checked ? FrameWay::messages : wanted.frames);
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
