#include "router/ofi/node_counters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "hal/check.hpp"

namespace toroid::ofi {
namespace {

class Writer {
 public:
  template <typename T>
  void add(const T& value) {
    add_all(std::span(&value, 1));
  }
  template <typename T>
  void add_all(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    blob.insert(blob.end(), bytes.begin(), bytes.end());
  }
  template <typename T>
  void add_list(const T& values) {
    add(std::uint64_t{values.size()});
    add_all(std::span<const typename T::value_type>(values));
  }
  Blob blob;
};

[[noreturn]] void refuse_counters() {
  throw RunFailed("a process sent counters that do not fit this machine");
}

class Reader {
 public:
  explicit Reader(const Blob& blob) : rest_(blob) {}
  template <typename T>
  T get() {
    T value;
    if (sizeof(T) > rest_.size()) refuse_counters();
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  template <typename T>
  T get_list() {
    T values;
    const auto size = get<std::uint64_t>();
    for (std::uint64_t i = 0; i < size; ++i) values.push_back(get<typename T::value_type>());
    return values;
  }

 private:
  std::span<const std::byte> rest_;
};

/// Copies the counters of some nodes, equally many for each, to their places in `all`. Refuses
/// counters of nodes that the machine does not have, and numbers of counters per node that differ
/// from those of other processes.
template <typename T>
void place(std::vector<T>& all, const std::vector<T>& parts, const std::vector<Rank>& nodes,
           Rank size) {
  const auto is_here = [size](Rank node) { return node < size; };
  if (nodes.empty() || parts.size() % nodes.size() != 0 || !std::ranges::all_of(nodes, is_here))
    refuse_counters();
  const std::size_t each = parts.size() / nodes.size();
  if (all.empty()) all.resize(each * size);
  if (all.size() != each * size) refuse_counters();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    std::copy_n(parts.begin() + static_cast<std::ptrdiff_t>(i * each), each,
                all.begin() + static_cast<std::ptrdiff_t>(nodes[i] * each));
}

void merge(FabricCounters& all, const Blob& packed, Rank size) {
  Reader in(packed);
  all.end = std::max(all.end, in.get<Tick>());
  for (auto* total : {&all.packets, &all.delivered, &all.packet_hops, &all.refused, &all.puts,
                      &all.put_bytes, &all.packed_bytes, &all.packet_bytes})
    *total += in.get<std::uint64_t>();
  for (auto reasons = in.get<std::uint64_t>(); reasons > 0; --reasons) {
    const auto reason = in.get_list<std::string>();
    all.refused_frames[reason] += in.get<std::uint64_t>();
  }
  const auto nodes = in.get_list<std::vector<Rank>>();
  place(all.links, in.get_list<std::vector<LinkCounters>>(), nodes, size);
  place(all.fifos, in.get_list<std::vector<FifoCounters>>(), nodes, size);
  place(all.nodes, in.get_list<std::vector<NodeTotals>>(), nodes, size);
  add_to(all.reception, in.get_list<std::vector<FifoCounters>>());
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void NodeCounters::add(Rank rank, const ring::RingDevice& node) {
  packets += node.injected();
  delivered += node.delivered();
  packet_hops += node.packet_hops();
  refused += node.refused();
  puts += node.puts();
  put_bytes += node.put_bytes();
  packed_bytes += node.packed_bytes();
  packet_bytes += node.packet_bytes();
  nodes.push_back(rank);
  append(links, node.link_counters());
  append(fifos, node.fifo_counters());
  totals.push_back(node.totals());
  add_to(reception, node.reception_counters());
}

Blob NodeCounters::pack() const {
  Writer out;
  out.add(end);
  for (const std::uint64_t total :
       {packets, delivered, packet_hops, refused, puts, put_bytes, packed_bytes, packet_bytes})
    out.add(total);
  out.add(std::uint64_t{refused_frames.size()});
  for (const auto& [reason, frames] : refused_frames) {
    out.add_list(reason);
    out.add(frames);
  }
  out.add_list(nodes);
  out.add_list(links);
  out.add_list(fifos);
  out.add_list(totals);
  out.add_list(reception);
  return std::move(out.blob);
}

FabricCounters merged(const Shape& shape, const std::vector<Blob>& packed) {
  FabricCounters all;
  for (const Blob& blob : packed)
    if (!blob.empty()) merge(all, blob, shape.size());
  return all;
}

}  // namespace toroid::ofi
