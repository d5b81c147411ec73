#include "tools/files/run_inputs.hpp"

#include <algorithm>
#include <fstream>
#include <ios>
#include <system_error>
#include <utility>

#include "hal/check.hpp"

namespace toroid {
namespace {

std::atomic<RunInputs*> current_inputs = nullptr;

bool inputs_are_shared() {
  const RunInputs* const inputs = RunInputs::current();
  return inputs != nullptr && inputs->is_shared();
}

}  // namespace

RunInputs::RunInputs(std::vector<std::string> options) : options_(std::move(options)) {
  TOROID_CHECK(current_inputs.exchange(this) == nullptr);
}

RunInputs::~RunInputs() {
  current_inputs = nullptr;
}

RunInputs* RunInputs::current() {
  return current_inputs;
}

void RunInputs::add(RunInput input) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(inputs_, input) == inputs_.end()) inputs_.push_back(std::move(input));
}

std::vector<RunInput> RunInputs::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(inputs_, {});
}

InputHash::InputHash(std::string name) : inputs_(RunInputs::current()), name_(std::move(name)) {
  if (inputs_ != nullptr) inputs_->note_attempt();
}

void InputHash::end() {
  if (inputs_ != nullptr) inputs_->add({name_, hash_.bytes(), hash_.value()});
}

void note_input(const std::string& name, std::span<const std::byte> bytes) {
  InputHash hash(name);
  hash.add(bytes);
  hash.end();
}

void note_input_file(const std::string& name, const std::string& path) {
  InputHash hash(name);
  std::error_code unknown;
  if (RunInputs::current() == nullptr || !std::filesystem::is_regular_file(path, unknown)) return;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 16);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add(std::as_bytes(std::span(block).first(static_cast<std::size_t>(file.gcount()))));
  } while (file);
  if (file.eof()) hash.end();
}

void refuse_shared_standard_input() {
  if (inputs_are_shared()) throw BadInput("is for one process; use a file for several");
}

void refuse_shared_stream(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  const bool is_stream = std::filesystem::is_other(status);
  if (is_stream && inputs_are_shared())
    throw BadInput("is a pipe or a device, which is for one process; use a file for several");
}

}  // namespace toroid
