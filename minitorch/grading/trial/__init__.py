"""Owns the program that tries out a level: is what it forbids refused?"""
