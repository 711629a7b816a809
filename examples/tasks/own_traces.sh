#!/bin/sh
# How long does a step take that a tool of your own describes, on a network of your own, and what
# limits it?
#
# own_traces/write_traces.py writes a trace for each of 8 ranks, own_traces/graph.yml lists every link
# of two servers in which two GPUs share a NIC. First as an estimate, then packet by packet.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/tasks.
set -e
traces=out/tasks/own_traces
python3 examples/tasks/own_traces/write_traces.py $traces
step="--workload $traces/step --comm-group $traces/groups.json
      --network examples/tasks/own_traces/graph.yml"

npunet trace validate $traces/step --comm-group $traces/groups.json
npunet simulate $step
npunet simulate $step --fidelity packet
