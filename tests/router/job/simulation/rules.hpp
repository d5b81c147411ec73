// What the simulated programs derive from bytes that they have gathered from each other. Each rule
// is a function of what all processes have, so that all derive the same.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <vector>

#include "router/job/blob.hpp"

namespace toroid::job_simulation {

/// Which input differs on which processes; empty if all digests are equal.
inline std::string difference(const std::vector<Blob>& digests) {
  for (std::size_t rank = 1; rank < digests.size(); ++rank)
    if (digests[rank] != digests[0])
      return fmt::format("the input differs between process 0 and process {}", rank);
  return "";
}

/// Which processes share memory: the number of a group for each rank. `opened[p][q]`: process p
/// could open what process q has made. Each process joins the first group with all of whose members
/// it could exchange memory in both directions.
inline std::vector<std::size_t> sharing_groups(const std::vector<Blob>& opened) {
  constexpr std::byte kYes{1};
  std::vector<std::size_t> group(opened.size());
  std::size_t groups = 0;
  for (std::size_t p = 0; p < opened.size(); ++p) {
    std::vector<bool> fits(groups, true);
    for (std::size_t q = 0; q < p; ++q)
      if (opened[p][q] != kYes || opened[q][p] != kYes) fits[group[q]] = false;
    while (group[p] < groups && !fits[group[p]]) ++group[p];
    if (group[p] == groups) ++groups;
  }
  return group;
}

}  // namespace toroid::job_simulation
