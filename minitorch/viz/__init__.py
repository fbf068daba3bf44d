"""All drawing code of minitorch: data in, self-contained pictures and pages out.

Each view answers one question about a launch that ran within
`with cuda.inspect(trace=True) as run:`, and returns a `Figure`.
"""

from ..cuda.inspection import connect_pictures as _connect_pictures
from .figure import Figure as Figure
from .page import Page as Page
from .views import grid as grid
from .views import memory as memory
from .views import race as race
from .views import show as show
from .views import sms as sms

__all__ = ["Figure", "Page", "grid", "memory", "race", "show", "sms"]

_connect_pictures(show)
