"""`torch.optim.lr_scheduler`: minitorch.optim's schedules."""

from ...optim.lr_scheduler import *
from ...optim.lr_scheduler import __all__ as __all__
