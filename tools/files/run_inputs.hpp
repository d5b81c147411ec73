// The inputs that this process reads for a run of several processes, with their hashes. The
// processes compare them, because files of the same name may differ from host to host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hal/hash64.hpp"

namespace toroid {

/// What the process has read: a file, or an array of the calling program.
struct RunInput {
  std::string name;  ///< as the user typed it
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;

  auto operator<=>(const RunInput&) const = default;
};

/// Collects the inputs while it exists. At most one exists at a time; without one, nothing is
/// hashed. Any thread may read inputs.
class RunInputs {
 public:
  /// `options`: those of the command that the processes must have alike, as texts.
  explicit RunInputs(std::vector<std::string> options);
  ~RunInputs();
  RunInputs(const RunInputs&) = delete;
  RunInputs& operator=(const RunInputs&) = delete;
  /// Null if none exists.
  static RunInputs* current();

  const std::vector<std::string>& options() const { return options_; }
  /// Says whether this process has joined others, or is to join them.
  void note_join(bool several) { shared_ = several; }
  /// Whether other processes read the same inputs, so that none can come from standard input or a
  /// pipe.
  bool is_shared() const { return shared_; }

  void note_attempt() { attempted_ = true; }
  /// Whether the process has tried to read any input.
  bool any_attempted() const { return attempted_; }
  void add(RunInput input);
  /// The inputs since the last call, each once.
  std::vector<RunInput> take();

 private:
  const std::vector<std::string> options_;
  bool shared_ = false;
  std::atomic<bool> attempted_ = false;
  std::mutex mutex_;
  std::vector<RunInput> inputs_;  ///< guarded by mutex_
};

/// Hashes an input while it is read, if RunInputs are collected.
class InputHash {
 public:
  explicit InputHash(std::string name);
  void add(std::span<const std::byte> bytes) {
    if (inputs_ != nullptr) hash_.add(bytes);
  }
  /// Adds the input to the RunInputs.
  void end();

 private:
  RunInputs* inputs_;
  std::string name_;
  Hash64 hash_;
};

/// Adds an input of which all bytes are present.
void note_input(const std::string& name, std::span<const std::byte> bytes);
/// Reads the file at `path` and adds it under `name`. Does nothing if it is not a regular file or
/// cannot be read: the caller will refuse it.
void note_input_file(const std::string& name, const std::string& path);

/// Throws BadInput, without a name, if other processes would need the same standard input.
void refuse_shared_standard_input();
/// Throws BadInput, without a name, if `path` is a pipe or a device and other processes read it
/// too: each would get a part of it.
void refuse_shared_stream(const std::filesystem::path& path);

}  // namespace toroid
