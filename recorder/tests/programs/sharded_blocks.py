"""The blocks of the programs with fully sharded data parallelism."""

from torch import nn

HIDDEN = 48


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(HIDDEN)
        self.up = nn.Linear(HIDDEN, 4 * HIDDEN)
        self.down = nn.Linear(4 * HIDDEN, HIDDEN)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))
