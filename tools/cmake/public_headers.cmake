# The public headers, which docs/LIBRARY.md lists and programs include as <toroid/hal/shape.hpp>. Other headers
# that they include are installed in toroid/detail/; programs must not include those.
set(public_headers
  hal/bounds.hpp hal/check.hpp hal/counters.hpp hal/device.hpp hal/direction.hpp hal/drain.hpp hal/drain_rules.hpp
  hal/fabric.hpp hal/failures.hpp hal/fill.hpp hal/flowchart_profile.hpp hal/injection_fifo.hpp hal/link_errors.hpp hal/machine.hpp
  hal/output_queues.hpp hal/packet.hpp hal/packet_times.hpp hal/processor.hpp hal/put.hpp hal/random.hpp hal/route.hpp hal/send_descriptor.hpp
  hal/send_order.hpp hal/shape.hpp hal/tick.hpp
  router/fabrics/make_fabric.hpp
  router/placement/host_topology.hpp router/placement/placement.hpp router/rules/routing.hpp
  router/shm/ring_fabric.hpp router/sim/probe.hpp router/sim/sim_fabric.hpp router/threads/cpu_account.hpp
  packet/exchange/block_messages.hpp packet/exchange/conservation.hpp packet/exchange/exchange.hpp
  packet/exchange/exchange_plan.hpp packet/exchange/group.hpp packet/exchange/latency.hpp
  packet/exchange/messages.hpp packet/exchange/open_loop.hpp packet/exchange/ring_broadcast.hpp packet/exchange/ring_shift.hpp
  packet/exchange/stream.hpp packet/exchange/strided_box.hpp packet/exchange/traffic_exchange.hpp
  packet/exchange/window.hpp
  packet/message_passing/all_to_all.hpp packet/message_passing/envelope.hpp
  packet/message_passing/message_passing.hpp packet/message_passing/request.hpp
  packet/node/collectives.hpp packet/node/counter.hpp packet/node/handlers.hpp packet/node/message_record.hpp packet/node/node.hpp
  packet/node/program.hpp packet/node/runner.hpp packet/node/settings.hpp
  packet/policies/library.hpp packet/policies/policies.hpp packet/policies/policy.hpp
  packet/replay/critical_path.hpp packet/replay/recorded_schedule.hpp packet/replay/replay.hpp packet/replay/schedule.hpp
  packet/replay/schedule_graph.hpp
  packet/traffic/patterns.hpp packet/traffic/traffic.hpp packet/traffic/traffic_bounds.hpp
  fft/execute/call_time.hpp fft/layout/box.hpp fft/layout/distribution.hpp fft/layout/node_layout.hpp
  fft/layout/partitions.hpp fft/orbital/base.hpp fft/orbital/plan.hpp
  fft/orbital/transform.hpp fft/plan/blueprint.hpp fft/plan/convolution.hpp fft/plan/description.hpp
  fft/plan/plan.hpp fft/plan/redistribution_plan.hpp fft/plan/square_matrix.hpp fft/plan/transform_bounds.hpp fft/plan/tune_planes.hpp fft/plan/transform_kind.hpp)
# Public headers of the components job and ofi.
set(public_headers_of_jobs
  router/job/blob.hpp router/job/job.hpp router/job/key.hpp router/ofi/ofi_fabric.hpp)
