// The rows of cases that are finished: a journal's, or those of several that are merged.
#pragma once

#include <span>
#include <string>

#include "tools/text/json.hpp"

namespace toroid {

struct CampaignCase;

/// Rows by the key of their case. Calls come from one thread at a time.
class FinishedRows {
 public:
  virtual ~FinishedRows() = default;
  /// The row of a finished case; null where it is not finished.
  virtual const Json* find(const std::string& key) const = 0;
  /// Adds a row, which is kept when this returns. Throws RunFailed where it cannot be.
  virtual void add(const std::string& key, const Json& row) = 0;
  /// Is called before cases are run. Throws BadInput where none may be run and one is not finished.
  virtual void expect(std::span<const CampaignCase> /*cases*/) const {}

 protected:
  FinishedRows() = default;
  FinishedRows(const FinishedRows&) = default;
  FinishedRows& operator=(const FinishedRows&) = default;
};

}  // namespace toroid
