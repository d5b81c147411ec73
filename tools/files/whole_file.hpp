// Reads whole files that a user named: as text, as bytes, as a checksum; refusals begin with the
// file's name.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

/// The text of the file; none where it cannot be read. Throws BadInput where it is longer than
/// `longest` bytes, since a device may be endless.
std::optional<std::string> read_text(const std::string& path, std::size_t longest);

/// Whether a file that begins with these bytes, 64 KiB or all of it, may be of the wanted format.
using BeginsWell = bool (*)(std::span<const std::byte>);

/// The bytes of the whole file. A file that does not begin well may be endless and is read only as
/// far as that check needs. Throws BadInput, without the file's name, where it cannot be read.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, BeginsWell begins_well);
/// The same for the rest of an open file. `known`: the expected number of bytes, 0 for a pipe.
std::vector<std::byte> read_bytes(std::FILE* file, std::size_t known, BeginsWell begins_well);

/// A refusal of the file for this reason, in one line.
BadInput refusal(std::string_view name, std::string_view reason);

/// Returns read(); its refusals get the file's name.
template <class Read>
auto naming(std::string_view name, const Read& read) {
  try {
    return read();
  } catch (const BadInput& reason) {
    throw refusal(name, reason.what());
  } catch (const std::bad_alloc&) {
    throw refusal(name, "too large for the memory there is");
  }
}

/// CRC-32 of a file's bytes, eight hexadecimal digits; of nothing where it cannot be read.
std::string file_sum(const std::string& path);
/// The same of several files, one behind the other.
std::string file_sum(std::span<const std::string> paths);

}  // namespace toroid
