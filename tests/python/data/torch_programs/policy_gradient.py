"""REINFORCE on a corridor: a policy that samples, rewards later, one update a game."""

from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical


class Corridor:
    """Walk from the middle of `length` places to the right end within some steps."""

    def __init__(self, length=7, most_steps=40):
        self.length, self.most_steps = length, most_steps

    def state(self):
        state = torch.zeros(self.length)
        state[self.place] = 1.0
        return state

    def reset(self):
        self.place, self.steps = self.length // 2, 0
        return self.state()

    def step(self, action):
        self.place = max(0, self.place + (1 if action == 1 else -1))
        self.steps += 1
        won = self.place == self.length - 1
        done = won or self.steps >= self.most_steps
        return self.state(), 1.0 if won else -0.05, done


class Policy(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.first = nn.Linear(inputs, 16)
        self.dropout = nn.Dropout(p=0.1)
        self.second = nn.Linear(16, 2)
        self.chosen = []
        self.rewards = []

    def forward(self, x):
        seen = F.relu(self.dropout(self.first(x)))
        return F.softmax(self.second(seen), dim=1)


def choose(policy, state):
    chances = Categorical(policy(state.float().unsqueeze(0)))
    action = chances.sample()
    policy.chosen.append(chances.log_prob(action))
    return action.item()


def discounted(rewards, gamma):
    later, found = 0, deque()
    for reward in reversed(rewards):
        later = reward + gamma * later
        found.appendleft(later)
    found = torch.tensor(found)
    return (found - found.mean()) / (found.std() + torch.finfo(torch.float32).eps)


def learn(policy, optimizer):
    worth = discounted(policy.rewards, 0.99)
    terms = [-chance * w for chance, w in zip(policy.chosen, worth, strict=True)]
    loss = torch.cat(terms).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    policy.rewards.clear()
    policy.chosen.clear()
    return loss.item()


def play(env, policy):
    state, total = env.reset(), 0.0
    while True:
        state, reward, done = env.step(choose(policy, state))
        policy.rewards.append(reward)
        total += reward
        if done:
            return total


def known(policy):
    """What needs no random number: the returns, and one update by hand."""
    print("known returns:", discounted([-0.05, -0.05, 1.0], 0.9))
    with torch.no_grad():
        for number, p in enumerate(policy.parameters()):
            row = torch.arange(p.numel(), dtype=torch.float32)
            p.copy_(torch.sin(row + number).view(p.shape))
    policy.eval()
    policy.zero_grad()
    probs = policy(torch.eye(7))
    m = Categorical(probs)
    actions = torch.tensor([0, 1, 1, 0, 1, 0, 1])
    loss = -(m.log_prob(actions) * torch.linspace(-1, 1, 7)).mean()
    loss -= 0.01 * m.entropy().mean()
    loss.backward()
    print("known probabilities:", " ".join(f"{p:.4f}" for p in probs[:, 1]))
    print(f"known loss: {loss.item():.5f}")
    print(f"known gradient: {policy.first.weight.grad.norm():.5f}")


def main():
    torch.manual_seed(8)
    env = Corridor()
    policy = Policy(env.length)
    optimizer = optim.Adam(policy.parameters(), lr=1e-2)
    rewards = []
    for episode in range(120):
        rewards.append(play(env, policy))
        loss = learn(policy, optimizer)
        if episode % 40 == 0:
            print(f"episode {episode}\tloss {loss:.2f}\treward {rewards[-1]:.2f}")
    print("games:", len(rewards))
    print("it learned:", sum(rewards[-20:]) / 20 > 0.5)
    known(policy)


if __name__ == "__main__":
    main()
