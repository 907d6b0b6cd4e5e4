"""From the results of jobs to the tables that figures are drawn from."""
