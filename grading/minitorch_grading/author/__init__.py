"""The program that imports a submission, and the judge's questions to it.

`requests.py` and `values.py` run in the judge, too; everything else is untrusted from
the first line of a submission on.
"""
