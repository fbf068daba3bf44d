"""The list of typing cases in which we differ from Numba, each with the reason."""

from __future__ import annotations

_BETTER = (
    "Numba's type inference has it, or Python has it, but its code fails; ours runs"
)
_BOOLS = "a bool is a number in Python, so ours takes it"
_STRINGS = "strings are for print and dtypes alone"
_NONE = "a number that may be None would need a flag beside it"
_RAISE = "a thread cannot report an exception; assert can"
_CLOSURE = "functions inside kernels are not there yet"
_REDUCTION = "whole arrays are for loops; a thread that adds all up hides the cost"
_CONSTANT = "sizes are computed from constants while compiling"
_OBJECT = "an object of Numba's own, of no use in a kernel"

#: A pattern of `types | expression or body`, and why ours is not Numba's.
DIFFERENCES: dict[str, str] = {
    r"bool, int32 \| a \*\* b": "Numba takes bool ** int32 for float32 ** int32",
    r"int32 \| a \*\* -1": "2 ** -1 is 0.5 in Python, and 0 in Numba",
    r"float32 \| math.pow\(a, 2(\.0)?\)": "a literal widens no power, as in a ** 2",
    r' \| "text"| \| NAME| \| len\(NAME\)|int32 \| len\(NAME\)': _STRINGS,
    r'int32 \| ord\("a"\)| \| float\("inf"\)': _STRINGS,
    r"int32 \| a if a else None": _NONE,
    r"int32 \| if a:\s+return (1|None\s+return 1)": _NONE,
    r"int32(, int32)? \| a is (True|b)": "numbers have no identity worth asking for",
    r"\w+ \| isinstance\(a, \w+\)": "types are known; kernels are compiled for each",
    r"bool \| (abs|float|complex)\(a\)": _BOOLS,
    r"bool, \w+ \| (min|max)\(a, b\)": _BOOLS,
    r"float32\[:\] \| (max|sum)\(a\)|int32\[:\] \| a.sum\(\)": _REDUCTION,
    r"int32 \| sum\(\(a, a\)\)": _REDUCTION,
    r'int32 \| print\(a, sep=""\)': _BETTER,
    r"float64 \| math.cbrt\(a\)": _BETTER,
    r"int32, int32 \| math.gcd\(a, b\)": _BETTER,
    r"float32, float32 \| math.log\(a, b\)": _BETTER,
    r"bool, float32 \| np.where\(a, b, b\)": _BETTER,
    r"float32\[:\] \| np.sum\(a\)": _REDUCTION,
    r"float32\[:\] \| a\[None, :\]\[0, 0\]": "an axis of size 1 hides an index",
    r"int32\[:, :\] \| a.(dtype|flat)": _OBJECT,
    r" \| cuda\.(threadIdx|cg.this_grid\(\))": _OBJECT,
    r"int32 \| return (len\()?range\(a\)\)?": _OBJECT,
    r"int32\[:, ::1\] \| a.reshape\(4\)\[0\]": "shapes are the host's",
    r"int32\[:\] \| a.view\(np.float32\)\[0\]": "views of another type are the host's",
    r"float32\[:, :\], float32\[:\] \| a\[0\] = b|.* \| a\[:\] = b": _BETTER,
    r"int32, int32 \| \(a, b\) < \(b, a\)": "an order of tuples is a loop in disguise",
    r"int32 \| x = \(a, a\)\s.*": _BETTER,
    r"int32 \| if \(x := a\).*": "an assignment has a line of its own",
    r"float32 \| for i in range\(a\):.*": "range of a float is an error in Python, too",
    r"int32 \| for i in \[1, 2\].*": "lists grow; a tuple does the same here",
    r"int32 \| (if a < 0:\s+)?raise .*": _RAISE,
    r"int32 \| x = a\s+del x.*": _BETTER,
    r"int32 \| match a:.*": "if and elif say the same",
    r"int32 \| (x = lambda|def g|return \(lambda).*": _CLOSURE,
    r"int32 \| plain\(a\)": "a plain function needs no decorator to be called",
    r"int32 \| cuda.syncthreads_count\(a > 1\)": _BOOLS,
    r"(uint32|uint64|bool|u?int8) \| cuda.shfl_sync.*": _BETTER,
    r"float32 \| cuda.popc\(a\)": "a float has no bits to count until it is cast",
    r"float32\[:\] \| cuda.atomic.add\(a, 0.5, 1\)": "a[0.5] is an error, too",
    r" \| cuda.shared.array\(4, (int|float)\)\[0\]": _BETTER,
    r" \| cuda.shared.array\(\(?(N \+ 1|N \* N|N, N \+ 1|N // 2)\)?, .*": _CONSTANT,
    r" \| cuda.(shared|local).array\(4\)\[0\]": "float32, as course notes have it",
    r"float32\[:\] \| cuda.const.array_like\(a\)\[0\]": "an argument is no constant",
}
