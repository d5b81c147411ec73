#include "tools/files/box_file.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>

#include "fft/layout/distribution.hpp"
#include "tools/files/read_file.hpp"
#include "tools/files/text_scanner.hpp"

namespace toroid {
namespace {

constexpr std::size_t kLongestFile = std::size_t{256} << 20;  // bytes

std::string header_of(const Size& size) {
  std::string header = "node";
  for (std::size_t axis = 0; axis < size.size(); ++axis)
    header += fmt::format(",begin{0},end{0}", axis);
  return header;
}

void take_header(TextScanner& scan, const std::string& header) {
  for (const char c : header)
    if (!scan.take(c)) scan.expected(fmt::format("the header line '{}'", header));
}

/// The last line may lack its newline.
void take_line_end(TextScanner& scan) {
  if (scan.at_end()) return;
  if (!scan.at_line_end()) scan.expected("the end of the line");
  scan.next_line();
}

/// Returns whether the file ends here. Only the last line may be empty.
bool take_end(TextScanner& scan) {
  if (scan.at_line_end()) {
    scan.next_line();
    if (!scan.at_end()) scan.expected("the end of the file after an empty line");
  }
  return scan.at_end();
}

std::int64_t take_index(TextScanner& scan, std::int64_t least, std::int64_t most) {
  if (!scan.take(',')) scan.expected("','");
  const std::string what = fmt::format("an index from {} to {}", least, most);
  const std::uint64_t index = scan.take_number(static_cast<std::uint64_t>(most), what);
  if (static_cast<std::int64_t>(index) < least)
    scan.refuse(fmt::format("expected {}, not {}", what, index));
  return static_cast<std::int64_t>(index);
}

/// A box that ends where it begins, along any axis, is the empty box.
fft::Box take_box(TextScanner& scan, const Size& size) {
  fft::Box box = fft::Box::of(fft::extents_of(size));
  for (std::size_t axis = 0; axis < size.size(); ++axis) {
    box.lo[axis] = take_index(scan, 0, size[axis]);
    box.hi[axis] = take_index(scan, box.lo[axis], size[axis]);
  }
  return box.volume() > 0 ? box : fft::Box();
}

}  // namespace

std::vector<fft::Box> parse_boxes(std::string_view text, std::string_view file, const Size& size,
                                  Rank nodes) {
  TextScanner scan(text, file);
  take_header(scan, header_of(size));
  take_line_end(scan);
  std::vector<fft::Box> boxes(nodes);
  std::vector<bool> has_line(nodes);
  while (!take_end(scan)) {
    const auto node = static_cast<Rank>(scan.take_number(nodes - 1, "the rank of a node"));
    if (has_line[node]) scan.refuse(fmt::format("node {} has a box already", node));
    has_line[node] = true;
    boxes[node] = take_box(scan, size);
    take_line_end(scan);
  }
  fft::check_boxes(fft::extents_of(size), boxes, nodes, fmt::format("{}: box", file));
  return boxes;
}

std::vector<fft::Box> read_boxes(const std::string& path, const Size& size, Rank nodes) {
  return parse_boxes(read_text(path, kLongestFile), path, size, nodes);
}

}  // namespace toroid
