// Whether a reader refuses what is slightly wrong in a file, or reads on with a warning.
#pragma once

#include <string>
#include <utility>

#include "hal/check.hpp"
#include "tools/text/warning.hpp"

namespace toroid {

/// Readers ask it about a fault that leaves no doubt about the elements: a damaged mark, bytes
/// behind the elements.
class Leniency {
 public:
  /// Refuses everything.
  Leniency() = default;
  /// Warns instead, in the name of this file, if `permissive` is set.
  Leniency(bool permissive, std::string file) : permissive_(permissive), file_(std::move(file)) {}

  bool is_permissive() const { return permissive_; }
  /// Throws BadInput with this text, or warns and says how the file is read.
  void excuse(const std::string& fault, const std::string& how = "nevertheless") const {
    if (!permissive_) throw BadInput(fault);
    note(fault + "; it is read " + how);
  }
  /// Warns of what never is a reason to refuse a file. A file without a name is read silently.
  void note(const std::string& what) const {
    if (!file_.empty()) warn(file_ + ": " + what);
  }

 private:
  bool permissive_ = false;
  std::string file_;
};

}  // namespace toroid
