#! /usr/bin/env python3

# The examples that ns-3's test.py runs: (program and arguments, whether to run it, whether to run it
# under valgrind).
cpp_examples = [
    ("npu-all-to-all", "True", "True"),
    ("npu-background-traffic", "True", "True"),
    ("npu-fair-shares", "True", "True"),
    ("npu-fat-tree-incast", "True", "True"),
    ("npu-head-of-line", "True", "True"),
    ("npu-incast", "True", "True"),
    ("npu-mixed-failure", "True", "True"),
    ("npu-own-congestion-control", "True", "True"),
    ("npu-pause-storm", "True", "True"),
    ("npu-split-training", "True", "True"),
    ("npu-sweep", "True", "True"),
    ("npu-tcp-all-reduce", "True", "True"),
    ("npu-torus-utilization", "True", "True"),
    ("npu-training-step", "True", "True"),
    ("npu-two-jobs", "True", "True"),
]

# There are no examples in Python.
python_examples = []
