// Runs work that may crash or hang in a process of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toroid {

/// A fault of a policy: its kind, the case in which it appears, and the symptom.
struct Breakage {
  std::string kind;  ///< e.g. "never sent", "hangs"
  std::string where;
  std::string what;
};

/// Sends reports from the process that works to its parent. Each report is sent at once, because
/// the work may crash later.
class ProbeReport {
 public:
  explicit ProbeReport(int to) : to_(to) {}
  /// Begins the next case. Each case has the whole time limit.
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
  unsigned cases = 0;   ///< number of cases that have begun
  std::string where;    ///< the case that began last
  std::string refusal;  ///< message of a BadInput from the work; empty if none
};

/// Runs the work in a process of its own. A crash, more than `limit` seconds for a case, or an
/// exception becomes a breakage "crashes", "hangs" or "throws".
ProbeResult run_probe(double limit, const std::function<void(ProbeReport&)>& work);

}  // namespace toroid
