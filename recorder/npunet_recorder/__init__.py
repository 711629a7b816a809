"""Records what a training program does as one rank of a world, without that world.

A program needs nothing of this. One that marks the part to be recorded calls

    npunet_recorder.start()     # what came before is left out
    npunet_recorder.stop()      # what comes behind is left out

which do nothing while it is not recorded.
"""

from npunet_recorder.marks import recording, start, stop

__all__ = ["recording", "start", "stop"]
