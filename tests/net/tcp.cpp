#include "tests/net/tcp.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace toroid::testing {
namespace {

using SocketAddress = sockaddr_in;

SocketAddress socket_address(const Endpoint& endpoint) {
  SocketAddress address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  if (::inet_pton(AF_INET, endpoint.address.c_str(), &address.sin_addr) != 1)
    throw std::runtime_error("not an address: " + endpoint.address);
  return address;
}

const sockaddr* pointer(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

FileDescriptor tcp_socket() {
  return FileDescriptor(succeeded(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
}

std::uint16_t port_of(const FileDescriptor& socket) {
  SocketAddress address{};
  socklen_t size = sizeof address;
  succeeded(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size),
            "getsockname");
  return ntohs(address.sin_port);
}

/// Limits how long connecting and sending may take.
void set_limit(const FileDescriptor& socket, Milliseconds limit) {
  const timeval time{limit / std::chrono::seconds(1),
                     limit % std::chrono::seconds(1) / std::chrono::microseconds(1)};
  succeeded(::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time), "SO_SNDTIMEO");
}

bool ready(int file, short events, SteadyTime until) {
  const auto left = std::chrono::ceil<Milliseconds>(until - std::chrono::steady_clock::now());
  pollfd asked{file, events, 0};
  return ::poll(&asked, 1, static_cast<int>(std::max<Milliseconds::rep>(left.count(), 0))) > 0;
}

/// Converts the kernel's notation of an address: "0100A8C0" is 192.168.0.1. Of an IPv6 address,
/// converts the last of the four words.
std::string dotted(const std::string& hexadecimal) {
  in_addr address{};
  address.s_addr =
      static_cast<in_addr_t>(std::stoul(hexadecimal.substr(hexadecimal.size() - 8), nullptr, 16));
  std::array<char, INET_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET, &address, text.data(), text.size());
}

/// Adds the listening endpoints in a table such as /proc/net/tcp.
void add_listening(const char* table_path, const std::string& own_address,
                   std::vector<Endpoint>& found) {
  constexpr const char* kListen = "0A";
  std::ifstream table(table_path);
  std::string line;
  std::getline(table, line);  // the heading
  while (std::getline(table, line)) {
    std::string number, local, remote, state;
    std::istringstream(line) >> number >> local >> remote >> state;
    if (state != kListen) continue;
    const std::size_t colon = local.find(':');
    const std::string address = dotted(local.substr(0, colon));
    const auto port = static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, 16));
    found.push_back({address == "0.0.0.0" ? own_address : address, port});
  }
}

/// Copies the available bytes. Returns false once the sender has hung up.
bool copy_once(int from, int to, std::string* record) {
  std::array<char, 65536> buffer;
  const ssize_t size = ::recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (record != nullptr) record->append(buffer.data(), static_cast<std::size_t>(size));
  if (size > 0) return ::send(to, buffer.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) > 0;
  return false;
}

}  // namespace

std::vector<Endpoint> listening(const Host& host) {
  std::vector<Endpoint> found;
  host.in_network([&] {
    for (const char* table : {"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"})
      add_listening(table, host.address(), found);
  });
  std::sort(found.begin(), found.end());
  return found;
}

Listener::Listener(const Host& host) {
  host.in_network([this] { socket_ = tcp_socket(); });
  const SocketAddress any_port = socket_address({host.address(), 0});
  succeeded(::bind(file(), pointer(any_port), sizeof any_port), "bind");
  succeeded(::listen(file(), 64), "listen");
  endpoint_ = {host.address(), port_of(socket_)};
}

FileDescriptor Listener::accept(Milliseconds limit) const {
  if (!ready(file(), POLLIN, std::chrono::steady_clock::now() + limit))
    throw std::system_error(ETIMEDOUT, std::generic_category(), "accept");
  return FileDescriptor(succeeded(::accept4(file(), nullptr, nullptr, SOCK_CLOEXEC), "accept"));
}

FileDescriptor connect_from(const Host& host, const Endpoint& to, Milliseconds limit) {
  FileDescriptor connection;
  host.in_network([&] { connection = tcp_socket(); });
  set_limit(connection, limit);
  const SocketAddress address = socket_address(to);
  succeeded(::connect(connection.get(), pointer(address), sizeof address), "connect");
  return connection;
}

void send_all(const FileDescriptor& connection, std::string_view bytes, Milliseconds limit) {
  const SteadyTime end = std::chrono::steady_clock::now() + limit;
  while (!bytes.empty() && ready(connection.get(), POLLOUT, end)) {
    const ssize_t size =
        ::send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::string receive(const FileDescriptor& connection, std::size_t size, Milliseconds limit) {
  const SteadyTime end = std::chrono::steady_clock::now() + limit;
  std::string received;
  std::array<char, 4096> buffer;
  while (received.size() < size && ready(connection.get(), POLLIN, end)) {
    const std::size_t most = std::min(buffer.size(), size - received.size());
    const ssize_t taken = ::recv(connection.get(), buffer.data(), most, MSG_DONTWAIT);
    if (taken <= 0) break;
    received.append(buffer.data(), static_cast<std::size_t>(taken));
  }
  return received;
}

Relay::Relay(const Host& host, Endpoint target)
    : host_(host), target_(std::move(target)), listener_(host), thread_([this] { run(); }) {}

Relay::~Relay() {
  stop_ = true;
  thread_.join();
}

std::vector<std::string> Relay::recorded() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const Connection& connection : connections_) all.push_back(connection.sent);
  return all;
}

void Relay::run() {
  constexpr int kRest = 20;  // ms between checks of stop_
  while (!stop_) {
    std::vector<pollfd> files{{listener_.file(), POLLIN, 0}};
    for (const Connection& connection : connections_) {
      if (!connection.open) continue;
      files.push_back({connection.opener.get(), POLLIN, 0});
      files.push_back({connection.target.get(), POLLIN, 0});
    }
    if (::poll(files.data(), files.size(), kRest) <= 0) continue;
    const std::lock_guard lock(mutex_);
    if (files.front().revents != 0) take_connection();
    for (Connection& connection : connections_)
      if (connection.open) pass_on(connection);
  }
}

void Relay::take_connection() {
  FileDescriptor opener = listener_.accept();
  try {
    FileDescriptor target = connect_from(host_, target_);
    connections_.push_back({std::move(opener), std::move(target), "", true});
  } catch (const std::system_error&) {
    // Nobody listens there yet: the opener sees its connection closed, and may try again.
  }
}

void Relay::pass_on(Connection& connection) {
  const int opener = connection.opener.get();
  const int target = connection.target.get();
  connection.open =
      copy_once(opener, target, &connection.sent) && copy_once(target, opener, nullptr);
  if (connection.open) return;
  ::shutdown(opener, SHUT_RDWR);
  ::shutdown(target, SHUT_RDWR);
}

}  // namespace toroid::testing
