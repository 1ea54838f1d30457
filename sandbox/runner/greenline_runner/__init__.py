"""Parts of the in-container runner: standard library only, Python 3.8 or later.

driver        options, the two child processes, the relay to the reporter
channel       how a child sends records to the driver
pytest_side   collecting and running with pytest
unittest_side collecting and running with unittest
cover         which lines each test executes
"""
