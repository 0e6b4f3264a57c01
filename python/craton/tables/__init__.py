"""Types of the tables of the file formats, for editors and type checkers: they complete and explain keys.

>>> from craton.tables.scenario import Receivers
>>> receivers: Receivers = {"stations": [{"code": "XX.A", "position": [0.0, 0.0, 0.0]}]}
"""
