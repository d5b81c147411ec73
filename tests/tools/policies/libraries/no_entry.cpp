// A library without a policy.
extern "C" int toroid_no_policy() {
  return 0;
}
