// The parts of a campaign that several processes run, each by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace toroid {

/// Shard `index` of `count`, from 1. The cases are dealt in turn, in their order: case p, from 0,
/// is of shard p mod count + 1. So every case is of exactly one shard, and the shards differ by one
/// case at most.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  bool is_whole() const { return count == 1; }
  bool has(std::size_t place) const { return place % count == index - 1; }
  /// "2/4".
  std::string text() const;
};

/// Of "2/4"; none where the text is something else.
std::optional<Shard> shard_in(std::string_view text);
/// The same, of --shard. Throws BadInput.
Shard parse_shard(const std::string& text);

/// What the task of a Slurm job array has to run, by SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _STEP;
/// none outside of such a job. The least id is shard 1; where _MIN is not set, id mod count + 1 is
/// the shard, which is right for ids from 0 and from 1. Throws BadInput where ids have gaps.
std::optional<Shard> slurm_shard();

/// The path with the shard's index in place of each "{shard}".
std::string with_shard(std::string path, const Shard& shard);

}  // namespace toroid
