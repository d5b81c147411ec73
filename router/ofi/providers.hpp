// The providers of libfabric: the requirements on them, and the list of available ones.
//
// Endpoint and Gateway assume this and nothing else:
//   endpoint   reliable datagrams (FI_EP_RDM) and messages (FI_MSG); remote writes with four bytes
//              of data (fi_writedata()) and remote reads (fi_read()) are used if available
//   order      none: Inflow sorts frames by their numbers
//   delivery   a completed send only means that its buffer may be reused; a frame has arrived when
//              the other end acknowledges it
//   progress   manual is enough: the gateway's worker polls as long as it runs
//   threads    one thread uses the endpoint after it has been opened (FI_THREAD_DOMAIN)
//   contexts   each operation provides the eight words of FI_CONTEXT2, which cover FI_CONTEXT
//   memory     the frames' memory is registered once as a whole, if FI_MR_LOCAL requires it or
//              others write to it; the memory of a put that is read is registered for that put;
//              regions are bound to the endpoint if FI_MR_ENDPOINT requires it; keys have up to
//              eight bytes; the provider or toroid draws them (FI_MR_PROV_KEY); remote places are
//              addresses or offsets (FI_MR_VIRT_ADDR)
//   overrun    the provider holds senders back (FI_RM_ENABLED); windows make that unnecessary
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

Info copy_of(const fi_info& info);

/// A provider: how it can carry frames, or the reason why it cannot.
struct Candidate {
  std::string name;
  Info info;            ///< null if it cannot carry frames
  std::string reason;   ///< why it cannot carry frames; if it can, what it is for
  bool writes = false;  ///< it can write frames into the memory of other processes
  /// Bytes of the shortest put that it reads from another process; 0 if it cannot read.
  std::size_t least_read = 0;
  std::size_t frame_bytes = 0;  ///< frame length on which the job has agreed; 0 until then
};

/// The providers that toroid knows how to use, best first.
std::vector<std::string> provider_names();

/// The reason against a provider that libfabric lacks, or does not offer because FI_PROVIDER names
/// others.
inline constexpr const char* kNotInLibrary = "not in this libfabric";

/// The harm that strangers on the network can do to a run over this provider, because libfabric
/// parses their data before any check of the key; empty if no harm is known. A provider with a
/// known harm is used only if OfiOptions::unsafe_provider is set.
std::string_view why_unsafe(std::string_view provider);

/// The providers on this host. libfabric is queried only once, because a query takes 0.1 s.
class Providers {
 public:
  /// `address`: address of the interface over which others reach this process, for providers that
  /// use IP; empty: any. `pu`: OS index of the PU of the worker that serves the endpoint; among
  /// several working network cards on one network, the nearest to this PU is taken.
  explicit Providers(std::string address, std::optional<unsigned> pu = std::nullopt);

  /// The provider `name`. `remote`: with remote memory access, if the provider supports it.
  Candidate get(const std::string& name, bool remote = true) const;
  /// All providers: those of provider_names() first, in that order.
  std::vector<Candidate> all() const;

 private:
  const fi_info& nearest(std::vector<const fi_info*> cards) const;
  std::string why_absent(std::string_view name) const;

  std::string address_;
  std::optional<unsigned> pu_;
  Info remotes_;  ///< list of endpoints with remote memory access; may be null
  Info infos_;    ///< list of endpoints; may be null
  Info names_;    ///< list of providers, including those without a device; may be null
};

/// The best settings for a provider on this host, as measured (docs/OFI.md).
struct Preference {
  bool writes;              ///< written frames are no slower than messages
  bool reads;               ///< reading long puts is no slower than packing them
  std::size_t frame_bytes;  ///< frame length that keeps the network busy
};
Preference preference_for(const std::string& provider);

/// Whether frames over this provider never leave the host's memory.
bool stays_in_memory(const std::string& provider);

}  // namespace toroid::ofi
