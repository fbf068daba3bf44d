"""The program that tries out a level: is what it forbids refused?"""
