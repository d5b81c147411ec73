// Shared by the FFTW baselines: kinds of transform and the input.
#pragma once

#include <fftw3.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace baseline {

// A kind of transform: "in" (in place), "out" (out of place) or "destroy" (out of place, but the
// input may be overwritten). A colon and a file of FFTW's wisdom may follow. If the file exists it
// is read, so that planning takes no time and gives the same plan again; otherwise it is written.
struct Kind {
  explicit Kind(const std::string& text) : name(text.substr(0, text.find(':'))) {
    if (name.size() < text.size()) wisdom = text.substr(name.size() + 1);
    in_place = name == "in";
    if (name == "destroy") flags |= FFTW_DESTROY_INPUT;
    if (in_place || name == "out" || name == "destroy") return;
    std::fprintf(stderr, "'%s': expected in, out or destroy\n", name.c_str());
    std::exit(2);
  }
  std::string keys() const { return "\"kind\":\"" + name + "\""; }

  // Returns whether there was a file to read. Forgets the wisdom of other kinds first.
  bool read_wisdom() const {
    fftw_forget_wisdom();
    return !wisdom.empty() && fftw_import_wisdom_from_filename(wisdom.c_str());
  }
  void write_wisdom() const {
    if (wisdom.empty() || fftw_export_wisdom_to_filename(wisdom.c_str())) return;
    std::fprintf(stderr, "cannot write %s\n", wisdom.c_str());
    std::exit(1);
  }

  std::string name, wisdom;
  bool in_place;
  unsigned flags = FFTW_MEASURE;
};

class Field {
 public:
  explicit Field(std::size_t elements) : size_(elements), data_(fftw_alloc_complex(elements)) {
    if (data_) return;
    std::fprintf(stderr, "no memory for %zu elements\n", elements);
    std::exit(1);
  }
  ~Field() { fftw_free(data_); }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  fftw_complex* data() { return data_; }

  // Called before every transform: values transformed in place would otherwise overflow.
  void fill() {
    for (std::size_t i = 0; i < size_; ++i) {
      data_[i][0] = static_cast<double>(i % 17) - 8;
      data_[i][1] = static_cast<double>(i % 13) - 6;
    }
  }

 private:
  std::size_t size_;
  fftw_complex* data_;
};

}  // namespace baseline
