"""An LSTM by hand that learns the letters of one sentence, and nn.LSTM beside it."""

import math

import torch
from torch import nn
from torch.nn import functional as F

TEXT = "the tide went out and the tide came in and the boat lay still " * 4
LETTERS = sorted(set(TEXT))
INDEX = {letter: n for n, letter in enumerate(LETTERS)}


def new_parameters(vocab_size, num_hiddens, device=None):
    num_inputs = num_outputs = vocab_size

    def normal(shape):
        return torch.randn(size=shape, device=device) * 0.1

    def three():
        return (
            normal((num_inputs, num_hiddens)),
            normal((num_hiddens, num_hiddens)),
            torch.zeros(num_hiddens, device=device),
        )

    w_xi, w_hi, b_i = three()  # input gate
    w_xf, w_hf, b_f = three()  # forget gate
    w_xo, w_ho, b_o = three()  # output gate
    w_xc, w_hc, b_c = three()  # candidate
    w_hq = normal((num_hiddens, num_outputs))
    b_q = torch.zeros(num_outputs, device=device)
    params = [w_xi, w_hi, b_i, w_xf, w_hf, b_f, w_xo, w_ho, b_o]
    params += [w_xc, w_hc, b_c, w_hq, b_q]
    for param in params:
        param.requires_grad_(True)
    return params


def empty_state(batch_size, num_hiddens, device=None):
    shape = (batch_size, num_hiddens)
    return torch.zeros(shape, device=device), torch.zeros(shape, device=device)


def lstm(inputs, state, params):
    w_xi, w_hi, b_i, w_xf, w_hf, b_f, w_xo, w_ho, b_o = params[:9]
    w_xc, w_hc, b_c, w_hq, b_q = params[9:]
    (h, c) = state
    outputs = []
    for x in inputs:
        i = torch.sigmoid((x @ w_xi) + (h @ w_hi) + b_i)
        f = torch.sigmoid((x @ w_xf) + (h @ w_hf) + b_f)
        o = torch.sigmoid((x @ w_xo) + (h @ w_ho) + b_o)
        candidate = torch.tanh((x @ w_xc) + (h @ w_hc) + b_c)
        c = f * c + i * candidate
        h = o * torch.tanh(c)
        outputs.append((h @ w_hq) + b_q)
    return torch.cat(outputs, dim=0), (h, c)


def clip(params, most):
    length = torch.sqrt(sum((p.grad**2).sum() for p in params))
    if length > most:
        for param in params:
            param.grad[:] *= most / length


def batches(batch_size, num_steps):
    corpus = torch.tensor([INDEX[letter] for letter in TEXT])
    length = (len(corpus) - 1) // batch_size * batch_size
    xs = corpus[:length].reshape(batch_size, -1)
    ys = corpus[1 : length + 1].reshape(batch_size, -1)
    for start in range(0, xs.shape[1] - num_steps + 1, num_steps):
        yield xs[:, start : start + num_steps], ys[:, start : start + num_steps]


def train_epoch(params, num_hiddens, lr):
    state, total, count = None, 0.0, 0
    for x, y in batches(4, 15):
        if state is None:
            state = empty_state(len(x), num_hiddens)
        state = tuple(part.detach() for part in state)
        inputs = F.one_hot(x.T, len(LETTERS)).type(torch.float32)
        y_hat, state = lstm(inputs, state, params)
        y = y.T.reshape(-1)
        loss = F.cross_entropy(y_hat, y.long()).mean()
        loss.backward()
        clip(params, 1)
        with torch.no_grad():
            for param in params:
                param -= lr * param.grad
                param.grad.zero_()
        total += loss.item() * y.numel()
        count += y.numel()
    return math.exp(total / count)


def predict(prefix, count, params, num_hiddens):
    state = empty_state(1, num_hiddens)
    outputs = [INDEX[prefix[0]]]
    for n in range(len(prefix) + count - 1):
        x = F.one_hot(torch.tensor([[outputs[-1]]]), len(LETTERS)).float()
        y, state = lstm(x, state, params)
        known = n + 1 < len(prefix)
        outputs.append(INDEX[prefix[n + 1]] if known else int(y.argmax(dim=1)))
    return "".join(LETTERS[n] for n in outputs)


def compare_with_layer(params, num_hiddens):
    """The largest difference from nn.LSTM with the same weights."""
    layer = nn.LSTM(len(LETTERS), num_hiddens)
    order = (0, 3, 9, 6)  # nn.LSTM: input, forget, candidate, output
    with torch.no_grad():
        layer.weight_ih_l0.copy_(torch.cat([params[n].T for n in order]))
        layer.weight_hh_l0.copy_(torch.cat([params[n + 1].T for n in order]))
        layer.bias_ih_l0.copy_(torch.cat([params[n + 2] for n in order]))
        layer.bias_hh_l0.zero_()
        x = F.one_hot(torch.arange(10).reshape(5, 2) % 7, len(LETTERS)).float()
        out, (h, c) = layer(x)
        by_hand, (h2, c2) = lstm(x, empty_state(2, num_hiddens), params)
        same = (out.reshape(10, -1) @ params[12] + params[13] - by_hand).abs().max()
        return max(same.item(), (h[0] - h2).abs().max().item()), c2.shape == c[0].shape


def main():
    torch.manual_seed(3)
    num_hiddens = 24
    params = new_parameters(len(LETTERS), num_hiddens)
    print("letters:", "".join(LETTERS))
    print("parameters:", sum(p.numel() for p in params))
    perplexities = [train_epoch(params, num_hiddens, 2.0) for _ in range(25)]
    print("perplexity:", " ".join(f"{value:.2f}" for value in perplexities[::6]))
    print("perplexity fell:", perplexities[-1] < perplexities[0])
    print("guess:", predict("the ", 12, params, num_hiddens))
    difference, same_shape = compare_with_layer(params, num_hiddens)
    print("equals nn.LSTM:", difference < 1e-5, same_shape)
    with torch.no_grad():
        for number, param in enumerate(params):
            row = torch.arange(param.numel(), dtype=torch.float32)
            param.copy_(torch.sin(row + number).reshape(param.shape) / 2)
    x = F.one_hot(torch.tensor([[0, 1], [2, 3]]), len(LETTERS)).float()
    y, (h, _) = lstm(x, empty_state(2, num_hiddens), params)
    y.square().mean().backward()
    print("known outputs:", " ".join(f"{v:.4f}" for v in y[-1, :4].tolist()))
    print("known gradient:", f"{params[1].grad.norm().item():.5f}", tuple(h.size()))


if __name__ == "__main__":
    main()
