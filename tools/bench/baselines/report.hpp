// Shared by all baselines: time, arguments, and one line of JSON.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace baseline {

// Seconds.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.empty()) return 0;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

inline int positive(const char* text) {
  const int value = std::atoi(text);
  if (value > 0) return value;
  std::fprintf(stderr, "'%s': expected a positive number\n", text);
  std::exit(2);
}

// {"program":NAME,"rows":[{KEYS,"median_s":...,"times_s":[...]},...]}; times are seconds per
// operation.
class Report {
 public:
  explicit Report(const std::string& program)
      : text_("{\"program\":\"" + program + "\",\"rows\":[") {}

  // `keys` is the inside of a JSON object, e.g. "bytes":256.
  void row(const std::string& keys, const std::vector<double>& seconds) {
    text_.append(first_ ? "{" : ",{").append(keys);
    text_.append(",\"median_s\":").append(number(median(seconds))).append(",\"times_s\":[");
    for (std::size_t i = 0; i < seconds.size(); ++i)
      text_.append(i ? "," : "").append(number(seconds[i]));
    text_.append("]}");
    first_ = false;
  }

  void print() const { std::printf("%s]}\n", text_.c_str()); }

 private:
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace baseline
