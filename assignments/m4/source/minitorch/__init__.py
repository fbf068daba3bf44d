"""What `import minitorch` gives after module 4."""

from __future__ import annotations

from . import numba_or_stand_in as numba_or_stand_in  # before what needs Numba

# isort: split
from . import cuda_conv as cuda_conv
from . import cuda_ops as cuda_ops
from . import fast_conv as fast_conv
from . import fast_ops as fast_ops
from . import nn as nn
from . import operators as operators
from . import scalar_functions as scalar_functions
from .autodiff import Context as Context
from .autodiff import Variable as Variable
from .autodiff import backpropagate as backpropagate
from .autodiff import central_difference as central_difference
from .autodiff import topological_sort as topological_sort
from .cuda_ops import CudaOps as CudaOps
from .cuda_ops import mm_practice as mm_practice
from .cuda_ops import sum_practice as sum_practice
from .datasets import datasets as datasets
from .fast_conv import Conv1dFun as Conv1dFun
from .fast_conv import Conv2dFun as Conv2dFun
from .fast_conv import conv1d as conv1d
from .fast_conv import conv2d as conv2d
from .fast_conv import tensor_conv1d as tensor_conv1d
from .fast_conv import tensor_conv2d as tensor_conv2d
from .fast_ops import FastOps as FastOps
from .module import Module as Module
from .module import Parameter as Parameter
from .nn import Max as Max
from .nn import argmax as argmax
from .nn import avgpool2d as avgpool2d
from .nn import dropout as dropout
from .nn import logsoftmax as logsoftmax
from .nn import max as max
from .nn import max_reduce as max_reduce
from .nn import maxpool2d as maxpool2d
from .nn import softmax as softmax
from .nn import tile as tile
from .operators import prod as prod
from .optim import SGD as SGD
from .optim import Optimizer as Optimizer
from .scalar import Scalar as Scalar
from .scalar import ScalarHistory as ScalarHistory
from .scalar import derivative_check as derivative_check
from .scalar_functions import ScalarFunction as ScalarFunction
from .tensor import History as History
from .tensor import Tensor as Tensor
from .tensor_data import MAX_DIMS as MAX_DIMS
from .tensor_data import Index as Index
from .tensor_data import IndexingError as IndexingError
from .tensor_data import Shape as Shape
from .tensor_data import Storage as Storage
from .tensor_data import Strides as Strides
from .tensor_data import TensorData as TensorData
from .tensor_data import UserIndex as UserIndex
from .tensor_data import UserShape as UserShape
from .tensor_data import UserStrides as UserStrides
from .tensor_data import broadcast_index as broadcast_index
from .tensor_data import index_to_position as index_to_position
from .tensor_data import shape_broadcast as shape_broadcast
from .tensor_data import strides_from_shape as strides_from_shape
from .tensor_data import to_index as to_index
from .tensor_functions import Function as Function
from .tensor_functions import grad_central_difference as grad_central_difference
from .tensor_functions import grad_check as grad_check
from .tensor_functions import rand as rand
from .tensor_functions import tensor as tensor
from .tensor_functions import zeros as zeros
from .tensor_ops import MapProto as MapProto
from .tensor_ops import SimpleBackend as SimpleBackend
from .tensor_ops import SimpleOps as SimpleOps
from .tensor_ops import TensorBackend as TensorBackend
from .tensor_ops import TensorOps as TensorOps
from .tensor_ops import tensor_map as tensor_map
from .tensor_ops import tensor_reduce as tensor_reduce
from .tensor_ops import tensor_zip as tensor_zip
from .testing import MathTest as MathTest
from .testing import MathTestVariable as MathTestVariable

version = "0.4"
