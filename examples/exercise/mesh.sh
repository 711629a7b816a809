#!/bin/sh
# Step 1 of the exercise: a 4 x 4 mesh with XY routing, first along x, then along y.
#
# Run it from the root of the repository with npunet on the PATH.
set -e
npunet topology configs/networks/mesh-4x4.yml --route 1 7
npunet topology configs/networks/mesh-4x4.yml --route 14 5
