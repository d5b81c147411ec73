#include "tools/files/gunzip.hpp"

#include <fmt/core.h>
#include <zconf.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

constexpr int kGzipWrapping = MAX_WBITS + 16;
constexpr std::size_t kFirstRoom = 65536;  // bytes

/// Inflates a whole input with zlib into a buffer that grows with the output.
class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> from) : from_(from) {
    if (::inflateInit2(&stream_, kGzipWrapping) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Inflates to the end of the stream.
  void run() {
    int code = Z_OK;
    while (code == Z_OK) code = step();
    if (code == Z_STREAM_END) return;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_BUF_ERROR) throw BadInput("compressed data truncated");
    throw BadInput(fmt::format("compressed data damaged: {}",
                               stream_.msg == nullptr ? "not zlib data" : stream_.msg));
  }
  /// Moves to the next stream of a file that holds several, one after the other.
  void next() {
    if (::inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
  }
  std::span<const std::byte> left() const { return from_; }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  /// The number of bytes to give zlib in one call: at most 2^30, since zlib counts them in 32 bits.
  static uInt counted(std::size_t bytes) {
    return static_cast<uInt>(std::min<std::size_t>(bytes, std::uint32_t{1} << 30));
  }

  int step() {
    const std::size_t have = out_.size();
    out_.resize(std::max(kFirstRoom, 2 * have));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from_.data()));
    stream_.avail_in = counted(from_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + have);
    stream_.avail_out = counted(out_.size() - have);
    const uInt given = stream_.avail_in, room = stream_.avail_out;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    from_ = from_.subspan(given - stream_.avail_in);
    out_.resize(have + room - stream_.avail_out);
    return code;
  }

  z_stream stream_{};
  std::span<const std::byte> from_;
  std::vector<std::byte> out_;
};

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

std::vector<std::byte> gunzipped(std::span<const std::byte> bytes, const Leniency& leniency) {
  Inflater inflater(bytes);
  inflater.run();
  while (is_gzip(inflater.left())) {
    inflater.next();
    inflater.run();
  }
  if (!inflater.left().empty())
    leniency.excuse(fmt::format("{} trailing bytes after the gzip data", inflater.left().size()));
  return inflater.take();
}

}  // namespace toroid
