// What carries frames between processes, as it is asked for.
#pragma once

#include <string>

#include "router/ofi/frame_way.hpp"

namespace toroid {

struct FrameOptions {
  std::string provider{};  ///< of libfabric; empty: the best
  FrameWay way = FrameWay::automatic;
  bool unsafe_provider = false;  ///< the provider may be one that strangers can end
  bool goes_on = false;          ///< without processes that are lost
};

}  // namespace toroid
