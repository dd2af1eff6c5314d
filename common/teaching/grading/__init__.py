"""Grading: what was handed in (found), by whom (people), which exercise it answers (answers), whether it is right
(checking), and what is written about it (points, tables)."""
