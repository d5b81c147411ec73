// The bytes of an input file, and refusals that begin with its name.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "hal/check.hpp"

namespace toroid::npy {

/// Whether a file that begins so may be one that is wanted; given 64 KiB of it, or all.
using BeginsWell = bool (*)(std::span<const std::byte>);

/// The whole file; what does not begin well, perhaps endless, only as far as it takes to see that.
/// Throws BadInput, without the file's name, where it cannot be read.
std::vector<std::byte> read_bytes(const std::filesystem::path& path, BeginsWell begins_well);
/// Likewise of what is left of an open file. `known` bytes are expected; 0 of a pipe.
std::vector<std::byte> read_bytes(std::FILE* file, std::size_t known, BeginsWell begins_well);

/// `reason` about a file, in one line.
BadInput refusal(std::string_view name, std::string_view reason);

/// What read() gives; its refusals get the file's name.
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

}  // namespace toroid::npy
