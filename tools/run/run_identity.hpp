// What a run is known by, so that a checkpoint is resumed by its own command only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// What a program was built from: its commit; where its sources were not all of a commit's, with
/// the checksum of the executable file, since several programs have that commit.
std::string build_text(std::string_view commit, const std::string& executable);

/// The inputs of a run, in order, by kind: its version, machine, seed, command, threads. Two runs
/// with equal identities come to equal results.
class RunIdentity {
 public:
  RunIdentity() = default;
  /// What text() has written.
  explicit RunIdentity(const std::string& text);

  void add(std::string_view kind, std::string_view name, std::string_view value);
  /// A line for each.
  std::string text() const;
  /// Of the entry with this name; empty: there is none.
  std::string value(std::string_view name) const;
  /// "another seed: seed 2, not 1" if `other` differs from this, by the first difference.
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
