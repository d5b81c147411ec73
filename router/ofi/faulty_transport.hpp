// A transport on which frames err as they are told to.
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

/// Hands frames to another transport, and some of them damaged, twice, late, behind the next one or
/// not at all, as drawn from a seed for each process that they go to.
///
/// **Rate:** between processes the frame is what errs, acknowledgements too, whatever links its
/// packets come from: of the rates the last one for all links counts, those of single links do not.
/// **In place:** a frame is damaged in the sender's buffer and mended when its sending completes:
/// until then nobody else touches it. **Silent:** a byte of payload is damaged, and the frame's CRC
/// is made to fit; a frame without payload stays as it is. **Order:** what is late holds up what
/// goes to the same process behind it.
/// Owned by the fabric, called by the worker that serves the gateway. REQUIRES: frames are
/// messages.
class FaultyTransport final : public Transport {
 public:
  static constexpr std::chrono::microseconds kDelay{500};

  /// `transport` outlives it. `self`: of `processes`.
  FaultyTransport(Transport& transport, const LinkErrors& errors, std::uint64_t seed, unsigned self,
                  unsigned processes);

  bool try_send(Operation& operation) override;
  bool try_receive(Operation& operation) override { return transport_->try_receive(operation); }
  std::size_t poll(std::span<Completion> completions) override;
  std::string text_of(int error) const override { return transport_->text_of(error); }
  Clock::time_point now() const override { return transport_->now(); }

  /// No frame errs from now on.
  void heal();
  /// Frames that erred.
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
    std::optional<Departure> overtaken{};  ///< goes behind the next one
  };
  /// A frame that is damaged while it is being sent.
  struct Damage {
    Operation* operation;
    std::size_t at;  ///< byte of the buffer
    std::byte bits;
    std::uint32_t crc;  ///< the header's, before
  };

  void pump(Way& way);
  bool try_depart(const Departure& departure);
  void damage(Operation& operation, LinkFault fault);
  void mend(const Operation& operation);
  /// Whether the completion is the gateway's to know.
  bool is_told(const Completion& completion);

  Transport* transport_;
  std::vector<Way> ways_;  ///< [process]
  Random random_;          ///< of what is damaged
  std::vector<Damage> damages_;
  std::vector<Operation*> twice_;  ///< being sent for the first of two times
  std::vector<Operation*> again_;  ///< to be sent for the second time
  std::vector<Operation*> lost_;   ///< whose completion has not been told yet
  std::uint64_t faults_ = 0;
};

/// The rate of frames between processes: that of all links.
double frame_error_rate(const LinkErrors& errors);

}  // namespace toroid::ofi
