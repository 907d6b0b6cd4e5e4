"""Turn the results of jobs into the tables behind the figures."""
