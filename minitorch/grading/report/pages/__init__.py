"""Owns pages of reports: HTML without scripts, light and dark, one file each.

Must not know platforms or how work is judged.
"""
