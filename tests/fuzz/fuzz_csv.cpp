// Messages that parse_message_csv() accepts do not change when they are written and read again.
// Each message has one send and one receive operation.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "hal/shape.hpp"
#include "packet/replay/schedule.hpp"
#include "packet/replay/schedule_graph.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/files/schedule_file.hpp"

namespace toroid::fuzz::csv {
namespace {

constexpr Rank kNodes = 64;

std::string written(const Schedule& schedule) {
  std::ostringstream out;
  write_message_csv(out, schedule);
  return out.str();
}

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    const Schedule schedule = parse_message_csv(text, "input", kNodes);
    TOROID_CHECK_LE(schedule.ranks.size(), kNodes);
    const std::string again = written(schedule);
    TOROID_CHECK_EQ(written(parse_message_csv(again, "written", kNodes)), again);
    TOROID_CHECK_EQ(2 * ScheduleGraph(schedule).messages().size(),
                    ScheduleGraph(schedule).order().size());
  });
}

const Reader kReader("csv", try_input);

}  // namespace
}  // namespace toroid::fuzz::csv
