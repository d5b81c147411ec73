// Reads whole files that a user named, as text, bytes or a checksum. Texts and bytes are hashed for
// the comparison with other processes (run_inputs.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/check.hpp"

namespace toroid {

/// Returns the text of the file, without a byte-order mark. Throws BadInput, with the system's
/// reason, if it cannot be read, or if it is longer than `longest` bytes. From a pipe or a device,
/// which may be endless, at most 64 MiB are read; with several processes nothing is.
std::string read_text(const std::string& path, std::size_t longest);
/// read_text() that returns nothing, with the reason in errno, if the file cannot be read.
std::optional<std::string> try_read_text(const std::string& path, std::size_t longest);

/// Whether a file that begins with these bytes (64 KiB, or the whole file) may have the wanted
/// format.
using BeginsWell = bool (*)(std::span<const std::byte>);

/// Reads the whole file. If begins_well() is false for its beginning, reads only this beginning,
/// because such a file may be endless. Throws BadInput, without the file's name, if it cannot be
/// read.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, BeginsWell begins_well);
/// The same for standard input. Throws BadInput also if the run has other processes.
std::vector<std::byte> read_standard_input(BeginsWell begins_well);

/// Makes a BadInput "NAME: REASON" in one line.
BadInput refusal(std::string_view name, std::string_view reason);

/// Returns the result of read(). If read() throws BadInput, or memory is too small, throws BadInput
/// that begins with `name`.
template <class Read>
auto naming(std::string_view name, const Read& read) {
  try {
    return read();
  } catch (const BadInput& reason) {
    throw refusal(name, reason.what());
  } catch (const std::bad_alloc&) {
    throw refusal(name, "does not fit into memory");
  }
}

/// CRC-32 of a file's bytes as eight hexadecimal digits; an unreadable file counts as empty. Throws
/// BadInput if the path is not a regular file.
std::string file_sum(const std::string& path);
/// CRC-32 of several files, one after the other.
std::string file_sum(std::span<const std::string> paths);

}  // namespace toroid
