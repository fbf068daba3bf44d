# minitorch/nn.py fails 4.3-tile, 4.3-average, 4.4-maxpool: failed


def tile(input: Tensor, kernel: Kernel) -> tuple[Tensor, int, int]:
    batch, channel, height, width = input.shape
    rows, columns = kernel
    assert height % rows == 0, f"tiles of {rows} rows in an image of {height}"
    assert width % columns == 0, f"tiles of {columns} columns in an image of {width}"
    down, across = height // rows, width // columns
    # (b, c, h, w) -> (b, c, down, rows, across, columns)
    cut = input.contiguous().view(batch, channel, down, rows, across, columns)
    # -> (b, c, down, across, rows, columns) -> (b, c, down, across, cells)
    moved = cut  # wrong: a tile's rows are apart
    return moved.view(batch, channel, down, across, rows * columns), down, across
