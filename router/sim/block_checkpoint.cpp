// The saved state of a block. The state of processors is saved by their owners.
#include <cstdint>

#include "hal/checkpoint_archive.hpp"
#include "router/sim/block.hpp"
#include "router/sim/device.hpp"
#include "router/sim/general_network.hpp"
#include "router/sim/lean/lean_network.hpp"
#include "router/sim/network.hpp"

namespace toroid::sim {
namespace {

constexpr std::uint32_t kNetworkMark = 0x5754454e;
constexpr std::uint32_t kDeviceMark = 0x49564544;

}  // namespace

void Network::serialize_ends(Archive& archive) {
  archive.mark(kNetworkMark);
  archive(calendar_, flights_, reception_);
}

void GeneralNetwork::serialize(Archive& archive) {
  serialize_ends(archive);
  archive(state_.routers, state_.protocol, state_.ends, arbitration_);
}

void LeanNetwork::serialize(Archive& archive) {
  serialize_ends(archive);
  archive(state_, injections_, remote_events_, packet_hops_);
}

void Block::serialize(Archive& archive) {
  archive(counts_);
  network_->serialize(archive);
  for (SimDevice& device : devices_) {
    archive.mark(kDeviceMark);
    archive(device);
  }
}

}  // namespace toroid::sim
