// Saves state as plain data to a checkpoint and loads it back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace toroid {

/// Saves values, or loads them in the same order. A class that can be saved has one function that
/// does both:
///
///   template <typename Archive>
///   void serialize(Archive& archive) { archive(a_, b_); }
///
/// Data that can be computed from the input of the run is not saved: before a checkpoint is loaded,
/// the run is set up again from its input, and then the saved state is loaded into it. Values are
/// saved as they lie in memory, so only the program that wrote a checkpoint can read it. Trivially
/// copyable types need no serialize() unless they hold pointers.
class Archive {
 public:
  explicit Archive(bool loads) : loads_(loads) {}
  Archive(const Archive&) = delete;
  virtual ~Archive() = default;

  bool loads() const { return loads_; }

  template <typename... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  /// Saves or loads contiguous values.
  template <typename T>
  void plain(std::span<T> values) {
    static_assert(kIsPlain<T>);
    bytes(values.data(), values.size_bytes());
  }
  /// Saves a number. When loading, refuses the archive if another number was saved at this place.
  void mark(std::uint32_t number);

  /// Pointers are saved as numbers of known objects. Saving and loading must call know() for the
  /// same objects in the same order. begin_objects() forgets the objects of the previous node.
  void begin_objects() { objects_.clear(); }
  template <typename T>
  void know(T* object) {
    objects_.push_back(object);
  }
  /// Saves or loads a pointer. REQUIRES: it is null, or its object was passed to know() as a T.
  template <typename T>
  void pointer(T*& pointer) {
    std::uint32_t number = loads_ ? 0 : number_of(pointer);
    one(number);
    if (loads_) pointer = static_cast<T*>(object(number));
  }

  /// Throws BadInput, because the archive does not come from this program.
  [[noreturn]] static void refuse();

 protected:
  /// Saves `size` bytes from `data`, or loads them into `data`.
  virtual void bytes(void* data, std::size_t size) = 0;
  /// Number of bytes left to read. Used when loading only.
  virtual std::uint64_t left() const = 0;

 private:
  template <typename T>
  static constexpr bool kIsPlain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                                   !std::is_same_v<T, std::string_view>;
  template <typename T>
  static constexpr bool kHasSerialize = requires(T& value, Archive& archive) {
    value.serialize(archive);
  };

  template <typename T>
  void one(T& value) {
    if constexpr (kHasSerialize<T>) {
      value.serialize(*this);
    } else {
      static_assert(kIsPlain<T>, "the type needs a member serialize()");
      bytes(&value, sizeof value);
    }
  }
  template <typename T, typename Allocator>
  void one(std::vector<T, Allocator>& values) {
    resize(values);
    if constexpr (kIsPlain<T> && !kHasSerialize<T>) {
      if (!values.empty()) bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) one(value);
    }
  }
  template <typename T, std::size_t n>
  void one(std::array<T, n>& values) {
    if constexpr (kIsPlain<T> && !kHasSerialize<T>)
      bytes(values.data(), sizeof values);
    else
      for (T& value : values) one(value);
  }
  template <typename Key, typename T>
  void one(std::map<Key, T>& values) {
    std::uint64_t count = values.size();
    one(count);
    if (!loads_) {
      for (auto& [key, value] : values) save_pair(key, value);
      return;
    }
    values.clear();
    for (; count > 0; --count) {
      Key key;
      one(key);
      one(values[key]);
    }
  }
  template <typename Key, typename T>
  void save_pair(Key key, T& value) {
    one(key);
    one(value);
  }
  /// A lower bound on the number of bytes that an element takes in an archive.
  template <typename T>
  static constexpr std::size_t kLeastBytes = kIsPlain<T> && !kHasSerialize<T> ? sizeof(T) : 1;

  /// Saves the number of elements, or loads it and resizes the vector. When loading, refuses the
  /// archive if its remaining bytes are too few for that many elements.
  template <typename T, typename Allocator>
  void resize(std::vector<T, Allocator>& values) {
    std::uint64_t size = values.size();
    one(size);
    if (!loads_) return;
    if constexpr (std::is_default_constructible_v<T>) {
      if (size > left() / kLeastBytes<T>) refuse();
      values.resize(size);
    } else if (size != values.size()) {
      refuse();
    }
  }

  std::uint32_t number_of(const void* object) const;
  void* object(std::uint32_t number) const;

  bool loads_;
  std::vector<void*> objects_;
};

}  // namespace toroid
