// A transport that injects faults into frames.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/link_errors.hpp"
#include "hal/random.hpp"
#include "router/ofi/transport.hpp"

namespace toroid::ofi {

/// Hands frames to another transport and injects faults: a frame may be damaged, duplicated,
/// delayed, swapped with the next frame, or lost. Each destination process has its own sequence of
/// faults, drawn from the seed.
///
/// **Rate:** faults hit whole frames, including acknowledgements. Their rate is the last one that
/// was given for all links; rates of single links have no effect here.
/// **In place:** a frame is damaged in the sender's buffer and mended when its sending completes;
/// until then nobody else touches the buffer. **Silent:** a silent fault damages a byte of payload
/// and recomputes the frame's CRC to match; it does not change a frame without payload. **Order:**
/// a late frame delays all later frames to the same process. Owned by the fabric, called by the
/// worker that serves the gateway. REQUIRES: frames are messages.
class FaultyTransport final : public Transport {
 public:
  static constexpr std::chrono::microseconds kDelay{500};

  /// `transport` must outlive this object. `self`: rank of this process. `processes`: number of
  /// processes.
  FaultyTransport(Transport& transport, const LinkErrors& errors, std::uint64_t seed, unsigned self,
                  unsigned processes);

  bool try_send(Operation& operation) override;
  bool try_receive(Operation& operation) override { return transport_->try_receive(operation); }
  std::size_t poll(std::span<Completion> completions) override;
  std::string text_of(int error) const override { return transport_->text_of(error); }
  Clock::time_point now() const override { return transport_->now(); }

  /// Injects no more faults from now on.
  void heal();
  /// Number of faults drawn.
  std::uint64_t faults() const { return faults_; }

 private:
  /// A frame on its way to the transport.
  struct Departure {
    Operation* operation;
    std::optional<LinkFault> fault;
    Clock::time_point not_before{};
  };
  struct Way {
    LinkFaultDraw draw;
    std::deque<Departure> departures;
    std::optional<Departure> overtaken{};  ///< a frame that leaves after the next one
  };
  /// A frame that is damaged while it is being sent.
  struct Damage {
    Operation* operation;
    std::size_t at;  ///< byte of the buffer
    std::byte bits;
    std::uint32_t crc;  ///< the header's CRC before the damage
  };

  void pump(Way& way);
  bool try_depart(const Departure& departure);
  void damage(Operation& operation, LinkFault fault);
  void mend(const Operation& operation);
  /// Whether the gateway must see the completion.
  bool is_told(const Completion& completion);

  Transport* transport_;
  std::vector<Way> ways_;  ///< [process]
  Random random_;          ///< chooses the bits to damage
  std::vector<Damage> damages_;
  std::vector<Operation*> twice_;  ///< being sent for the first of two times
  std::vector<Operation*> again_;  ///< to be sent for the second time
  std::vector<Operation*> lost_;   ///< dropped, completion not reported yet
  std::uint64_t faults_ = 0;
};

/// The fault rate of frames between processes: the rate that applies to all links.
double frame_error_rate(const LinkErrors& errors);

}  // namespace toroid::ofi
