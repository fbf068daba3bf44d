"""Owns the list of modules that fill the tables of device functions."""

from . import device_basics

__all__ = ["device_basics"]
