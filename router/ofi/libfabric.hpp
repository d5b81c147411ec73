// libfabric: what we ask of a provider, and which one we take.
//
// Stated here, kept by Endpoint and Gateway, and nothing else is assumed:
//   endpoint   reliable datagrams (FI_EP_RDM), two-sided messages only (FI_MSG)
//   order      none: frames are numbered and put in order by Inflow
//   delivery   a completed send means that its buffer may be used again, no more; what arrived is
//              what the other end acknowledges
//   progress   manual is enough: the gateway's worker polls as long as it runs
//   threads    one thread touches the endpoint after it has been opened (FI_THREAD_DOMAIN)
//   contexts   each operation brings FI_CONTEXT2's eight words, which cover FI_CONTEXT
//   memory     registered once as a whole where FI_MR_LOCAL asks for it, bound to the endpoint
//              if FI_MR_ENDPOINT does; no remote access, so all else of mr_mode is accepted
//   overrun    the provider holds senders back (FI_RM_ENABLED); windows keep it from having to
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "router/ofi/library.hpp"

namespace toroid::ofi {

struct FreeInfo {
  void operator()(fi_info* info) const { library().freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// A provider that can carry frames, or why it cannot.
struct Candidate {
  std::string name;
  Info info;           ///< null: it cannot
  std::string reason;  ///< why not; where it can, what for
};

/// Where the processes of a run are to each other: what makes a provider fit.
enum class Distance { one_host, hosts };

/// The providers that we know how to use, the best first.
std::vector<std::string> provider_names(Distance distance);

/// What libfabric has on this host, asked once: it takes a tenth of a second.
class Providers {
 public:
  /// `address`: of the interface by which others reach this process, for providers of IP; empty:
  /// any.
  explicit Providers(std::string address);

  Candidate get(const std::string& name) const;
  /// All, those that we know how to use first, the best of them first.
  std::vector<Candidate> all() const;

 private:
  std::string address_;
  Info infos_;  ///< a list of endpoints; may be null
  Info names_;  ///< a list of providers, with a device or without; may be null
};

/// Frame size that keeps a provider busy.
std::size_t best_frame_bytes(const std::string& provider);

}  // namespace toroid::ofi
