// Work that may crash or hang, in a process of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// Something that a policy breaks: what kind of thing, in which case, and how it shows.
struct Breakage {
  std::string kind;  ///< "never sent", "hangs"
  std::string where;
  std::string what;
};

/// What the work says on its way, each at once: what comes after it may crash.
class ProbeReport {
 public:
  explicit ProbeReport(int to) : to_(to) {}
  /// The case that begins now. Each has the whole time limit.
  void begin(std::string_view where);
  void breaks(const Breakage& breakage);
  void value(std::string_view name, std::string_view text);
  void done();

 private:
  void line(std::string text) const;
  int to_;
};

struct ProbeResult {
  std::vector<Breakage> breakages;
  std::map<std::string, std::string> values;
  unsigned cases = 0;   ///< that have begun
  std::string where;    ///< the last of them
  std::string refusal;  ///< of BadInput that the work threw; empty: none
};

/// Runs the work in a process of its own. That it crashed or took longer than `limit` seconds for a
/// case becomes a breakage "crashes" or "hangs"; that it threw, "throws".
ProbeResult run_probe(double limit, const std::function<void(ProbeReport&)>& work);

}  // namespace toroid
