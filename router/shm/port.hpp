// What a worker serves besides its nodes: the way to other processes.
#pragma once

namespace toroid::ring {

class Port {
 public:
  /// Takes in what has come and sends what must go; `idle`: the worker has nothing else to do.
  /// True: something moved.
  virtual bool step(bool idle) = 0;

 protected:
  ~Port() = default;
};

}  // namespace toroid::ring
