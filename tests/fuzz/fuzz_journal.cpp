// A campaign's journal is read, or refused with a message of one line; an incomplete last line
// changes nothing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hal/check.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/fuzz/refusal.hpp"
#include "tools/lab/campaign/journal.hpp"

namespace toroid::fuzz::journal {
namespace {

void try_input(const std::uint8_t* data, std::size_t size) {
  read_text_or_refuse(data, size, [](std::string_view text) {
    const JournalContent content = parse_journal(text, "input");
    TOROID_CHECK(content.settings.is_object());
    const std::string cut = std::string(text) + "{\"case\": \"cut";
    TOROID_CHECK(parse_journal(cut, "cut").rows == content.rows || !text.ends_with('\n'));
  });
}

const Reader kReader("journal", try_input);

}  // namespace
}  // namespace toroid::fuzz::journal
