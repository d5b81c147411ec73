// A result file, including its recording, can be shown by a report, or is refused with a message of
// one line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/report/checked_json.hpp"
#include "tools/report/inputs.hpp"
#include "tools/report/recording.hpp"

namespace toroid::fuzz::result {
namespace {

void check_recording(const Recording& recording) {
  TOROID_CHECK_EQ(recording.packets.size(), recording.links());
  TOROID_CHECK_EQ(recording.fifo_fill.size(), recording.samples() * recording.shape.size());
  TOROID_CHECK_EQ(recording.fifo_most.size(), recording.samples() * recording.fifos);
}

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    ReportInputs inputs;
    add_report_input(inputs, parse_json(text, "input"), "input");
    for (const ReportRun& run : inputs.runs)
      if (run.recording) check_recording(*run.recording);
  });
}

const Reader kReader("result", try_input);

}  // namespace
}  // namespace toroid::fuzz::result
