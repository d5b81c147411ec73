#include "tools/transform/distribution_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fft/layout/box.hpp"
#include "fft/layout/node_layout.hpp"
#include "fft/layout/partitions.hpp"
#include "hal/check.hpp"
#include "hal/parse_number.hpp"
#include "tools/files/box_file.hpp"
#include "tools/options/option_values.hpp"
#include "tools/text/spelling.hpp"

namespace toroid {
namespace {

constexpr std::string_view kDistributedAxes = "xyzuvw";
constexpr std::string_view kAxisDigits = "012345";
constexpr std::array<std::string_view, 3> kLayoutNames = {"blocks", "slabs", "lines"};

bool is_path(std::string_view text) {
  return text.find_first_of("./") != std::string_view::npos;
}

class DistributionParser {
 public:
  DistributionParser(const std::string& option, const std::string& text, const Size& size,
                     const Shape& shape)
      : option_(option), text_(text), size_(size), shape_(shape), rest_(text) {}

  fft::Distribution parse() {
    take_nodes();
    take_order();
    const std::size_t colon = rest_.find(':');
    const std::string_view name = rest_.substr(0, colon);
    if (colon != std::string_view::npos) argument_ = rest_.substr(colon + 1);
    if (name == "blocks") return blocks();
    if (name == "slabs") return slabs();
    if (name == "lines") return lines();
    return boxes();
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw BadInput(fmt::format("{} '{}': {}", option_, shortened(text_), why));
  }

  Rank node(std::string_view text) const {
    const std::optional<Rank> node = parse_number<Rank>(text);
    if (!node) refuse(fmt::format("'{}' is not a node rank", shortened(std::string(text))));
    if (*node >= shape_.size())
      refuse(fmt::format("node {} does not exist; torus {} has nodes 0 to {}", *node, shape_.text(),
                         shape_.size() - 1));
    return *node;
  }

  void add_nodes(std::string_view range) {
    const std::size_t dash = range.find('-');
    const Rank first = node(range.substr(0, dash));
    const Rank last = dash == std::string_view::npos ? first : node(range.substr(dash + 1));
    const Rank count = std::max(first, last) - std::min(first, last) + 1;
    for (Rank i = 0; i < count; ++i) nodes_.push_back(first <= last ? first + i : first - i);
  }

  void take_nodes() {
    const std::size_t at = rest_.rfind('@');
    if (at == std::string_view::npos) return;
    for (const std::string& range : items_of(std::string(rest_.substr(at + 1)), option_))
      add_nodes(range);
    std::vector<Rank> sorted = nodes_;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) refuse(fmt::format("node {} is named twice", *twice));
    rest_ = rest_.substr(0, at);
  }

  std::optional<unsigned> axis_of(char name) const {
    const std::size_t axis = std::min(kDistributedAxes.find(name), kAxisDigits.find(name));
    if (axis >= size_.size()) return std::nullopt;
    return static_cast<unsigned>(axis);
  }

  void take_order() {
    const std::size_t comma = rest_.rfind(',');
    if (comma == std::string_view::npos) return;
    const std::string_view names = rest_.substr(comma + 1);
    for (const char name : names) {
      const std::optional<unsigned> axis = axis_of(name);
      if (!axis || std::ranges::count(order_, *axis) > 0) break;
      order_.push_back(static_cast<std::uint8_t>(*axis));
    }
    if (order_.size() != names.size() || names.size() != size_.size())
      refuse(fmt::format("'{}' is not an order of the axes {}", shortened(std::string(names)),
                         kDistributedAxes.substr(0, size_.size())));
    rest_ = rest_.substr(0, comma);
  }

  unsigned axis() const {
    const std::optional<unsigned> axis =
        argument_.size() == 1 ? axis_of(argument_[0]) : std::nullopt;
    if (!axis)
      refuse(fmt::format("expected one axis of {}, e.g. {}:x",
                         kDistributedAxes.substr(0, size_.size()),
                         rest_.substr(0, rest_.find(':'))));
    return *axis;
  }

  /// The array's axes in the order that was typed, followed by the axes that it lacks.
  fft::AxisOrder order() const {
    if (order_.empty()) return fft::kCOrder;
    fft::AxisOrder order = fft::kCOrder;
    std::ranges::copy(order_, order.begin() + 1);
    return order;
  }

  fft::AxisOrder order_of_lines(unsigned axis) const {
    if (order_.empty()) return fft::lines_order(axis);
    if (order_.back() != axis)
      refuse(fmt::format("lines along {0} are contiguous in memory: the order must end with {0}",
                         kDistributedAxes[axis]));
    fft::AxisOrder order = fft::lines_order(axis);
    std::copy(order_.begin(), order_.end() - 1, order.begin());
    for (std::size_t other = size_.size(); other < fft::kMaxAxes; ++other)
      order[other - 1] = static_cast<std::uint8_t>(other);
    return order;
  }

  /// The nodes that hold the parts, part by part.
  std::vector<Rank> holders(Rank parts) const {
    if (!nodes_.empty()) return nodes_;
    std::vector<Rank> first(parts);
    std::iota(first.begin(), first.end(), Rank{0});
    return first;
  }
  Rank parts() const { return nodes_.empty() ? shape_.size() : static_cast<Rank>(nodes_.size()); }

  fft::Distribution placed(const fft::Distribution& parts, Rank count) const {
    return fft::on_nodes(parts, holders(count), shape_.size());
  }

  fft::Index grid_of_torus() const {
    if (!nodes_.empty()) refuse("blocks with @NODES need a grid, e.g. blocks:2x1x2");
    fft::Index grid = fft::extents_of({});
    for (unsigned d = 0; d < shape_.dims(); ++d)
      grid[std::min<std::size_t>(d, size_.size() - 1)] *= shape_.extent(d);
    return grid;
  }

  fft::Index typed_grid() const {
    std::vector<std::int64_t> extents;
    for (std::string_view left = argument_;;) {
      const std::size_t end = left.find('x');
      const std::optional<Rank> extent = parse_number<Rank>(left.substr(0, end));
      if (!extent || *extent == 0 || *extent > shape_.size() || extents.size() == size_.size())
        break;
      extents.push_back(*extent);
      if (end == std::string_view::npos) {
        if (extents.size() != size_.size()) break;
        return fft::extents_of(extents);
      }
      left = left.substr(end + 1);
    }
    refuse(fmt::format("expected a grid of {} extents, each at most {}, e.g. blocks:2x1x2",
                       size_.size(), shape_.size()));
  }

  /// The number of blocks of the grid. Refuses a number above parts(), before the product can
  /// overflow.
  std::int64_t block_count(const fft::Index& grid) const {
    const std::int64_t most = parts();
    std::int64_t count = 1;
    for (const std::int64_t extent : grid) {
      count *= extent;
      if (count > most)
        refuse(
            fmt::format("more blocks than nodes ({}); expected at most one block per node", most));
    }
    return count;
  }

  fft::Distribution blocks() const {
    const fft::Index grid = argument_.empty() ? grid_of_torus() : typed_grid();
    const std::int64_t count = block_count(grid);
    if (!nodes_.empty() && count != std::int64_t{parts()})
      refuse(fmt::format("{} blocks for {} listed nodes; expected one node per block", count,
                         parts()));
    return placed(fft::block_parts(fft::extents_of(size_), grid, order()),
                  static_cast<Rank>(count));
  }

  fft::Distribution slabs() const {
    fft::Index grid = fft::extents_of({});
    grid[axis()] = parts();
    return placed(fft::block_parts(fft::extents_of(size_), grid, order()), parts());
  }

  fft::Distribution lines() const {
    const fft::AxisOrder order = order_of_lines(axis());
    return placed(fft::line_parts(fft::extents_of(size_), order, parts()), parts());
  }

  fft::Distribution boxes() const {
    const std::string path(rest_);
    if (!is_path(path))
      refuse(unknown_name("layout", path, kLayoutNames) + ", or a box file, e.g. ./boxes");
    if (!nodes_.empty()) refuse("a box file assigns boxes to nodes itself; omit @NODES");
    std::vector<fft::Box> boxes = read_boxes(path, size_, shape_.size());
    return {fft::extents_of(size_), [boxes = std::move(boxes), order = order()](Rank node) {
              return fft::NodeLayout::dense(boxes[node], order);
            }};
  }

  const std::string& option_;
  const std::string& text_;
  const Size& size_;
  const Shape& shape_;
  std::string_view rest_;            ///< the text that is not parsed yet
  std::string_view argument_;        ///< the text after the layout's colon
  std::vector<std::uint8_t> order_;  ///< typed order of the axes; empty if not given
  std::vector<Rank> nodes_;          ///< typed nodes that hold the parts; empty if not given
};

}  // namespace

fft::Distribution parse_distribution(const std::string& option, const std::string& text,
                                     const Size& size, const Shape& shape) {
  return DistributionParser(option, text, size, shape).parse();
}

std::string box_file_of(const std::string& text) {
  std::string_view layout(text);
  layout = layout.substr(0, layout.rfind('@'));
  layout = layout.substr(0, layout.rfind(','));
  return is_path(layout) ? std::string(layout) : std::string();
}

}  // namespace toroid
