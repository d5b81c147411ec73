// The identity of a run, so that only its own command resumes a checkpoint.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// A text that identifies a build: its commit and, if the sources are modified or unknown, the
/// checksum of the executable, since several builds then have the same commit.
std::string build_text(std::string_view commit, const std::string& executable);

/// The inputs of a run, in order. Each has a kind, such as version, machine, seed or command. Runs
/// with equal identities have equal results.
class RunIdentity {
 public:
  RunIdentity() = default;
  /// Parses the result of text().
  explicit RunIdentity(const std::string& text);

  void add(std::string_view kind, std::string_view name, std::string_view value);
  /// One line per entry.
  std::string text() const;
  /// The value of the entry with this name; empty if there is none.
  std::string value(std::string_view name) const;
  /// The first difference of `other` from this, such as "another seed: seed 2, not 1"; nothing if
  /// they are equal.
  std::optional<std::string> difference(const RunIdentity& other) const;

 private:
  struct Entry {
    std::string kind;
    std::string name;
    std::string value;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries_;
};

}  // namespace toroid
