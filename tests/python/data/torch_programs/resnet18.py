"""ResNet-18 as model libraries write it: blocks, stages, shortcuts, initialisation."""

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import MultiStepLR


def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(
        in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False
    )


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(nn.Module):
    expansion: int = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes=1000, width=64):
        super().__init__()
        self.inplanes = width
        self.conv1 = nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, width, layers[0])
        self.layer2 = self._make_layer(block, 2 * width, layers[1], stride=2)
        self.layer3 = self._make_layer(block, 4 * width, layers[2], stride=2)
        self.layer4 = self._make_layer(block, 8 * width, layers[3], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * width * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def _make_layer(self, block, planes, blocks, stride=1):
        before, self.inplanes = self.inplanes, planes * block.expansion
        shortcut = None
        if (before, stride) != (self.inplanes, 1):
            norm = nn.BatchNorm2d(self.inplanes)
            shortcut = nn.Sequential(conv1x1(before, self.inplanes, stride), norm)
        rest = (block(self.inplanes, planes) for _ in range(blocks - 1))
        return nn.Sequential(block(before, planes, stride, shortcut), *rest)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)


def resnet18(**kwargs) -> ResNet:
    return ResNet(BasicBlock, [2, 2, 2, 2], **kwargs)


def pictures(count: int) -> Tensor:
    row = torch.arange(count * 3 * 32 * 32, dtype=torch.float32)
    return torch.sin(row * 0.37).reshape(count, 3, 32, 32)


def known_weights(model: nn.Module) -> None:
    for name, p in model.named_parameters():
        if p.dim() > 1:
            fan_in = p[0].numel()
            row = torch.arange(p.numel(), dtype=p.dtype)
            p.data.copy_((torch.cos(row * 0.7 + len(name)) / fan_in**0.5).view(p.shape))


def main():
    torch.manual_seed(2)
    full = resnet18()
    print("parameters:", sum(p.numel() for p in full.parameters()))
    print("entries:", len(full.state_dict()), list(full.state_dict())[-3:])
    print(full.layer2[0])

    model = resnet18(num_classes=10, width=8)
    model.eval()
    with torch.inference_mode():
        print("out:", model(pictures(2)).shape)

    model.train()
    labels = torch.tensor([1, 5, 1, 5])
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4
    )
    scheduler = MultiStepLR(optimizer, milestones=[4], gamma=0.1)
    losses = []
    for _ in range(6):
        loss = criterion(model(pictures(4)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    print("losses:", [round(v, 3) for v in losses])
    print("loss fell:", losses[-1] < losses[0])
    print("rate:", round(optimizer.param_groups[0]["lr"], 6))
    print("batches seen:", model.bn1.num_batches_tracked.item())

    twin = resnet18(num_classes=10, width=8).eval()
    known_weights(twin)
    with torch.no_grad():
        logits = twin(pictures(1))
        nn.init.zeros_(twin.fc.bias)
        top = (twin(pictures(1)) - twin.fc.bias).topk(3)
    print("known scores:", " ".join(f"{v:.3f}" for v in top.values[0]))
    print("known classes:", top.indices.tolist(), logits.dtype)


if __name__ == "__main__":
    main()
