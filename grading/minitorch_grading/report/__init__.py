"""The report of a graded submission, and what is made of it for people."""
