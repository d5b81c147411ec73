// Another traffic on a machine with dead nodes, without the messages to and from these nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/random.hpp"
#include "hal/shape.hpp"
#include "packet/traffic/traffic.hpp"

namespace toroid {

/// Leaves out messages to and from dead nodes; all other messages are those of the other traffic.
class MaskedTraffic final : public Traffic {
 public:
  MaskedTraffic(const Shape& shape, std::unique_ptr<Traffic> all)
      : shape_(shape), all_(std::move(all)) {}

  std::string_view name() const override { return all_->name(); }
  std::uint64_t bytes(Rank from, Rank to) const override;
  std::optional<std::uint64_t> message_bytes() const override { return all_->message_bytes(); }
  std::vector<Rank> targets(Rank from) const override;
  std::vector<Rank> sources(Rank to) const override;
  Rank draw(Rank from, Random& random) const override;

 private:
  std::vector<Rank> living(Rank self, std::vector<Rank> peers) const;

  Shape shape_;
  std::unique_ptr<Traffic> all_;
};

}  // namespace toroid
