"""Where `chargeback ui` listens unless told otherwise. Not here: the programs that it runs (ui.py)."""

UI_PORT = 3000
