// The providers of libfabric: what is asked of them, and which ones there are.
//
// Endpoint and Gateway assume this and nothing else:
//   endpoint   reliable datagrams (FI_EP_RDM), messages (FI_MSG); remote writes with four bytes of
//              data (fi_writedata()) and remote reads (fi_read()) are used where there are any
//   order      none: frames are numbered and put in order by Inflow
//   delivery   a completed send means that its buffer may be used again, no more; what arrived is
//              what the other end acknowledges
//   progress   manual is enough: the gateway's worker polls as long as it runs
//   threads    one thread touches the endpoint after it has been opened (FI_THREAD_DOMAIN)
//   contexts   each operation brings FI_CONTEXT2's eight words, which cover FI_CONTEXT
//   memory     of frames registered once as a whole where FI_MR_LOCAL asks for it or others write
//              to it, of puts that are read for each; bound to the endpoint if FI_MR_ENDPOINT asks
//              for that; keys of up to eight bytes, the provider's or ours (FI_MR_PROV_KEY),
//              addresses or offsets (FI_MR_VIRT_ADDR)
//   overrun    the provider holds senders back (FI_RM_ENABLED); windows keep it from having to
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "router/ofi/libfabric.hpp"

namespace toroid::ofi {

struct FreeInfo {
  void operator()(fi_info* info) const { library().freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// A provider that can carry frames, or why it cannot.
struct Candidate {
  std::string name;
  Info info;            ///< null: it cannot
  std::string reason;   ///< why it cannot; if it can, what it is for
  bool writes = false;  ///< it can write frames into the memory of other processes
  /// The shortest put that it reads from another process, bytes; 0: it cannot.
  std::size_t least_read = 0;
  std::size_t frame_bytes = 0;  ///< that serve all processes of a job; 0: nobody has asked yet
};

/// Whether the processes of a job run on one host or on several.
enum class Distance { one_host, hosts };

/// The providers that toroid knows how to use, the best first.
std::vector<std::string> provider_names(Distance distance);

/// What others on the network can do to a run over this provider, because libfabric itself reads
/// what they send before anything is proved; empty: nothing is known. Such a provider is taken only
/// where it is asked for as unsafe.
std::string_view why_unsafe(std::string_view provider);

/// The providers on this host. libfabric is asked once, because that takes 0.1 s.
class Providers {
 public:
  /// `address`: address of the interface over which others reach this process, for providers that
  /// use IP; empty: any. `pu`: the system's index of the PU whose worker serves the endpoint. Of
  /// several network cards of one network that work, the one nearest to it is taken.
  explicit Providers(std::string address, std::optional<unsigned> pu = std::nullopt);

  /// `remote`: whether it is to have remote memory access if it can.
  Candidate get(const std::string& name, bool remote = true) const;
  /// All providers: those of provider_names() first, in that order.
  std::vector<Candidate> all() const;

 private:
  const fi_info& nearest(std::vector<const fi_info*> cards) const;

  std::string address_;
  std::optional<unsigned> pu_;
  Info remotes_;  ///< list of endpoints with remote memory access; may be null
  Info infos_;    ///< list of endpoints; may be null
  Info names_;    ///< list of providers, also of those without a device; may be null
};

/// What serves a provider best on this host, as measured (docs/OFI.md).
struct Preference {
  bool writes;              ///< frames that are written are no slower than messages
  bool reads;               ///< long puts that are read are no slower than those that are packed
  std::size_t frame_bytes;  ///< keep it busy
};
Preference preference_for(const std::string& provider);

/// Whether frames never leave the host's memory.
bool stays_in_memory(const std::string& provider);

}  // namespace toroid::ofi
