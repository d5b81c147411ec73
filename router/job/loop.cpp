#include "router/job/loop.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>

#include <chrono>
#include <memory>

namespace toroid::job {
namespace {

constexpr int kHandledAtOnce = 256;

}  // namespace

Loop::Loop() : context_(std::make_unique<asio::io_context>(1)) {}
Loop::~Loop() = default;

void Loop::run(std::chrono::milliseconds time) {
  const auto guard = asio::make_work_guard(*context_);
  context_->restart();
  if (context_->run_one_for(time) == 0) return;
  for (int handled = 1; handled < kHandledAtOnce && context_->poll_one() > 0;) ++handled;
}

void Loop::wake() {
  asio::post(*context_, [] {});
}

}  // namespace toroid::job
