// What a member of a job needs of the world: streams of bytes to other processes, and a clock. The
// protocol reaches both through these interfaces alone, so that a simulation can stand in for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "router/job/clocks.hpp"

namespace toroid {

struct Bootstrap;

namespace job {

/// How a connection has ended.
enum class End {
  lost,       ///< the other end has closed it, or is unreachable
  malformed,  ///< the other end sent something that this version never sends
  wrong_key,  ///< the other end holds a different key
};

/// Bytes in both directions between this process and another one. Neither end passes on any byte
/// before both have proved that they hold the job key. No function blocks.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Reads bytes that have arrived. Returns their number; 0 if there are none now.
  virtual std::size_t read(std::span<std::byte> to) = 0;
  /// Writes as many bytes as there is room for. Returns their number. Bytes that the other end sent
  /// before it closed the stream can still be read, even if a write has failed.
  virtual std::size_t write(std::span<const std::byte> from) = 0;
  /// Tells the other end that nothing more will be written.
  virtual void finish() = 0;
  /// How the stream has ended; nullopt if it has not ended.
  virtual std::optional<End> end() const = 0;
  /// Whether the other end has proved that it holds the key.
  virtual bool is_proved() const = 0;
  /// Numbers of bytes read from the network and written to it.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_written() const = 0;
  /// Numeric addresses of both ends.
  virtual std::string own_address() const = 0;
  virtual std::string peer_address() const = 0;
};

/// An attempt to connect, which its destructor gives up.
class Call {
 public:
  virtual ~Call() = default;
  /// Nullopt while the attempt lasts; then why it has failed, empty if it has not.
  virtual std::optional<std::string> error() const = 0;
  /// The connected stream. REQUIRES: error() is empty; called once.
  virtual std::unique_ptr<Stream> stream() = 0;
};

/// The addresses of a host.
struct Resolved {
  std::vector<std::string> addresses;  ///< numeric
  std::string error{};                 ///< why there are none
};

/// A process's access to the network and the clock.
class Network {
 public:
  virtual ~Network() = default;
  virtual Clock::time_point now() const = 0;
  /// A number that nobody else can guess.
  virtual std::uint64_t random_word() = 0;

  /// Opens the port of process 0. Returns the numeric address of the socket. Throws RunFailed.
  virtual std::string listen(const Bootstrap& bootstrap) = 0;
  virtual void stop_listening() = 0;
  /// Accepts a connection to that port; null if none waits.
  virtual std::unique_ptr<Stream> accept() = 0;

  /// May block for seconds, unlike all other functions.
  virtual Resolved resolve(const std::string& host) = 0;
  /// Begins to connect with a numeric address. The Network must outlive the call and its stream.
  virtual std::unique_ptr<Call> call(const std::string& address, std::uint16_t port) = 0;
};

}  // namespace job

}  // namespace toroid
