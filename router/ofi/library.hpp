// libfabric itself, loaded when it is first needed: that takes a fifth of a second where it was
// built with PSM, which nobody who stays on one host should wait for.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

namespace toroid::ofi {

/// The functions that it exports and that are used here; all others are reached through objects.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// Stays loaded. Throws RunFailed where it cannot be loaded.
const Library& library();

}  // namespace toroid::ofi
