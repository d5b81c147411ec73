// libfabric itself. It is loaded when it is first needed: that takes 0.2 s if it was built with
// PSM, which a program without processes should not wait for.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

namespace toroid::ofi {

/// The exported functions that are used here; all others are reached through libfabric's objects.
struct Library {
  decltype(&::fi_getinfo) getinfo;
  decltype(&::fi_freeinfo) freeinfo;
  decltype(&::fi_dupinfo) dupinfo;
  decltype(&::fi_fabric) fabric;
  decltype(&::fi_strerror) strerror;
  decltype(&::fi_version) version;
};

/// The library, which stays loaded. Throws RunFailed if it cannot be loaded.
const Library& library();

/// Puts another library in its place until it is called with null. REQUIRES: nothing is open that
/// came from the one before, and no other thread asks.
void replace_library(const Library* other);

}  // namespace toroid::ofi
