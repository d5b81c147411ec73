#include "fft/npy/npy.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "fft/npy/items.hpp"
#include "hal/check.hpp"

namespace toroid {
namespace {

using npy::Complex;

constexpr std::size_t kFirstRead = 65536;  // bytes: enough to know whether to read on

BadInput refusal(std::string_view name, std::string_view reason) {
  return BadInput(fmt::format("{}: {}", npy::without_controls(std::string(name)), reason));
}

void check_data_size(std::size_t expected, std::size_t found) {
  if (found == expected) return;
  const std::string_view wrong =
      found < expected ? "data truncated" : "trailing bytes after the data";
  throw BadInput(
      fmt::format("{}: expected {} bytes after the header, found {}", wrong, expected, found));
}

std::vector<Complex> decode(std::span<const std::byte> data, const npy::Header& header,
                            const npy::ItemFormat& format) {
  return npy::with_item(format.type, [&](auto zero) {
    const auto load = [&data](std::size_t i) {
      decltype(zero) item;
      std::memcpy(&item, data.data() + i * sizeof item, sizeof item);
      return Complex(item);
    };
    if (!header.fortran_order) return npy::in_order(data.size() / sizeof zero, load);
    const std::vector<std::size_t> in_file(header.shape.rbegin(), header.shape.rend());
    return npy::reverse_axes(in_file, load);
  });
}

NpyArray parse(std::span<const std::byte> bytes) {
  npy::Header header = npy::take_header(bytes);
  const npy::ItemFormat& format = npy::format_of(header.dtype);
  check_data_size(npy::element_count(header.shape, format.size) * format.size, bytes.size());
  std::vector<Complex> values = decode(bytes, header, format);
  return {std::move(header.shape), std::move(values), std::move(header.dtype)};
}

[[noreturn]] void throw_errno() {
  throw BadInput(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

bool begins_with_magic(const std::vector<std::byte>& bytes) {
  return bytes.size() >= npy::kMagic.size() &&
         std::memcmp(bytes.data(), npy::kMagic.data(), npy::kMagic.size()) == 0;
}

/// The whole file; what is no .npy file, perhaps endless, only as far as it takes to see that.
std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) throw_errno();
  std::error_code no_size;  // a pipe: the buffer grows as the bytes come
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  const std::size_t known = no_size ? 0 : static_cast<std::size_t>(size);

  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (std::size_t step = kFirstRead; used == bytes.size();
       step = known > used ? known - used + 1 : used) {
    bytes.resize(used + step);
    used += std::fread(bytes.data() + used, 1, step, file.get());
    if (!begins_with_magic(bytes)) break;
  }
  if (std::ferror(file.get()) != 0) throw_errno();
  bytes.resize(used);
  return bytes;
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  try {
    return parse(bytes);
  } catch (const BadInput& reason) {
    throw refusal(name, reason.what());
  }
}

NpyArray read_npy(const std::filesystem::path& path) {
  try {
    return parse(read_bytes(path));
  } catch (const BadInput& reason) {
    throw refusal(path.native(), reason.what());
  } catch (const std::bad_alloc&) {
    throw refusal(path.native(), "too large for the memory there is");
  }
}

}  // namespace toroid
