// Parts of a campaign that several processes run independently.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace toroid {

/// Shard `index` of `count`, counted from 1. Cases are dealt in turn, in order: case p, counted
/// from 0, belongs to shard p mod count + 1. So every case belongs to exactly one shard, and the
/// sizes of the shards differ by one case at most.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  bool is_whole() const { return count == 1; }
  bool has(std::size_t place) const { return place % count == index - 1; }
  /// The shard as text, e.g. "2/4".
  std::string text() const;
};

/// Parses a text such as "2/4". Empty if the text has another form.
std::optional<Shard> shard_in(std::string_view text);
/// Parses the value of --shard. Throws BadInput.
Shard parse_shard(const std::string& text);

/// The shard of a task in a Slurm job array, from SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _STEP;
/// empty outside of such a job. The smallest id is shard 1. If _MIN is not set, the shard is id mod
/// count + 1, which is right for ids from 0 and from 1. Throws BadInput if the ids have gaps.
std::optional<Shard> slurm_shard();

/// Replaces each "{shard}" in the path by the shard's index.
std::string with_shard(std::string path, const Shard& shard);

}  // namespace toroid
