#include "packet/node/attachment.hpp"

#include <functional>
#include <utility>

#include "packet/node/node.hpp"

namespace toroid {

void Attachment::attach(Node& node, Node& mover, const char* name,
                        std::span<const std::byte> object) {
  node_ = &node;
  mover_ = &mover;
  name_ = name;
  object_ = object;
  next_ = std::exchange(node.attachments_, this);
  previous_ = nullptr;
  if (next_ != nullptr) next_->previous_ = this;
}

void Attachment::leave_list() {
  (previous_ == nullptr ? node_->attachments_ : previous_->next_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

void Attachment::detach(bool is_busy) {
  if (node_ == nullptr) return;
  leave_list();
  if (!object_.empty()) mover_->end_handlers_of(*this);
  if (unclaimed_ != nullptr) node_->note_unclaimed(*this);
  if (is_busy || fills()) node_->fail_for(name_);
  node_ = nullptr;
}

bool Attachment::fills() const {
  return !object_.empty() && (node_->fills_from(*this) || mover_->fills_from(*this));
}

bool Attachment::holds(const void* pointer) const {
  const std::less<const void*> before;
  return !before(pointer, object_.data()) && before(pointer, object_.data() + object_.size());
}

}  // namespace toroid
