// Fuzzes a reader without libFuzzer: fuzz READER [seconds] [seed] [corpus files or folders...]
//
// Tries the corpus unchanged, then mutations of it and random bytes, until the time is over. The
// inputs depend only on the seed and the corpus, so that failures are reproducible. If an input
// fails, abort() or a sanitizer ends the program.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/readers.hpp"

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

constexpr std::size_t kMaxSize = 4096;  // bytes of an input that is not from the corpus
constexpr std::size_t kMaxMutations = 5;

Input read_input(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path.native()));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Reads the corpus in the order of the arguments. The files of a folder are read in the order of
/// their names.
std::vector<Input> read_corpus(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const fs::path argument : arguments) {
    if (!fs::is_directory(argument)) {
      files.push_back(argument);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    std::copy(fs::directory_iterator(argument), {}, std::back_inserter(files));
    std::sort(files.begin() + first, files.end());
  }
  std::vector<Input> corpus;
  for (const fs::path& file : files) corpus.push_back(read_input(file));
  return corpus;
}

/// Makes inputs from a corpus. Does not use the distributions of <random>, whose results differ
/// between standard libraries.
class Mutator {
 public:
  Mutator(std::vector<Input> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  Input next() {
    Input input = corpus_.empty() || below(10) == 0 ? random_bytes(below(200)) : some_input();
    for (std::size_t count = 1 + below(kMaxMutations); count > 0; --count) mutate(input);
    if (input.size() > kMaxSize) input.resize(kMaxSize);
    return input;
  }

 private:
  template <class Bytes>
  static auto place(Bytes& bytes, std::size_t index) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(index);
  }

  void mutate(Input& input) {
    switch (below(6)) {
      case 0:
        return flip_bit(input);
      case 1:
        return insert(input, random_bytes(1 + below(8)));
      case 2:
        return erase(input);
      case 3:
        return splice(input);
      case 4:
        return input.resize(below(input.size() + 1));
      default:
        return overwrite(input);
    }
  }

  void flip_bit(Input& input) {
    if (input.empty()) return;
    input[below(input.size())] ^= static_cast<std::uint8_t>(1U << below(8));
  }

  void insert(Input& input, const Input& bytes) {
    input.insert(place(input, below(input.size() + 1)), bytes.begin(), bytes.end());
  }

  void erase(Input& input) {
    const std::size_t begin = below(input.size() + 1);
    const std::size_t count = below(std::min<std::size_t>(8, input.size() - begin) + 1);
    input.erase(place(input, begin), place(input, begin + count));
  }

  /// Replaces the end by the end of another input.
  void splice(Input& input) {
    if (corpus_.empty()) return;
    const Input other = some_input();
    input.resize(below(input.size() + 1));
    input.insert(input.end(), place(other, below(other.size() + 1)), other.end());
  }

  /// Writes an integer at the limit of a type over 1, 2, 4 or 8 bytes, or inserts it as text.
  void overwrite(Input& input) {
    constexpr std::array<std::uint64_t, 12> kEdges = {
        0,      1,          0x7f,       0x80,       0xff,       0x7fff,
        0xffff, 0x7fffffff, 0xffffffff, 1ULL << 60, ~0ULL >> 1, ~0ULL};
    const std::uint64_t edge = kEdges[below(kEdges.size())];
    if (below(3) == 0) {
      const std::string text = std::to_string(edge);
      return insert(input, Input(text.begin(), text.end()));
    }
    const std::size_t size = std::size_t{1} << below(4);
    if (input.size() < size) return;
    const std::size_t begin = below(input.size() - size + 1);
    for (std::size_t i = 0; i < size; ++i) {
      input[begin + i] = static_cast<std::uint8_t>(edge >> (8 * i));
    }
  }

  Input random_bytes(std::size_t size) {
    Input bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_());
    return bytes;
  }

  const Input& some_input() { return corpus_[below(corpus_.size())]; }
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::vector<Input> corpus_;
  std::mt19937_64 random_;
};

void try_exactly(toroid::fuzz::TryInput try_input, const Input& input) {
  // Exactly as long as the input, so that a sanitizer detects reading one byte too many.
  const auto exact = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), exact.get());
  try_input(exact.get(), input.size());
}

void run(toroid::fuzz::TryInput try_input, double seconds, std::uint64_t seed,
         const std::vector<std::string>& arguments) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const std::vector<Input> corpus = read_corpus(arguments);
  for (const Input& input : corpus) try_exactly(try_input, input);
  Mutator mutator(corpus, seed);
  std::size_t tried = corpus.size();
  for (; Clock::now() < end; ++tried) try_exactly(try_input, mutator.next());
  fmt::print("{} inputs tried, seed {}\n", tried, seed);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto try_input = toroid::fuzz::find_reader(argc > 1 ? arguments[0] : "");
    if (try_input == nullptr)
      throw std::runtime_error(fmt::format("expected one of {}", toroid::fuzz::reader_names()));
    const double seconds = argc > 2 ? std::stod(arguments[1]) : 5;
    const std::uint64_t seed = argc > 3 ? std::stoull(arguments[2]) : 1;
    run(try_input, seconds, seed, {argv + std::min(argc, 4), argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "usage: {} READER [seconds] [seed] [corpus files or folders...]: {}\n",
               argv[0], error.what());
    return 2;
  }
  return 0;
}
