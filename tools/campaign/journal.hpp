// The finished rows of a campaign on the disk: a later campaign with the same settings goes on
// where this one ended, however it ended.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tools/results/json.hpp"

namespace toroid {

/// A text file of one JSON object per line: first the settings that all cases share, then a line
/// per finished case. Invariant: every line but the last is complete. The file is locked against
/// other processes as long as the object lives; calls come from one thread at a time.
class Journal {
 public:
  /// Opens or creates the file. `settings`: the names and values that decide a result, apart from
  /// the case. Throws BadInput, with file and line, where the file has other settings, is no
  /// journal or is in use. An incomplete last line is dropped.
  Journal(const std::string& path, const Json& settings);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The row of a finished case; null where it is not finished.
  const Json* find(const std::string& key) const;
  /// Adds a row, which is on the disk when this returns. Throws RunFailed where it cannot be
  /// written.
  void add(const std::string& key, const Json& row);

  const std::string& path() const { return path_; }
  std::size_t size() const { return rows_.size(); }

 private:
  void lock();
  std::string content() const;
  void read(const std::string& text);
  void read_header(std::string_view line, const Json& settings) const;
  void read_case(std::string_view line, std::size_t number);
  void truncate(std::size_t size) const;
  void append(const std::string& line) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  int file_ = -1;
  std::map<std::string, Json> rows_;
};

}  // namespace toroid
