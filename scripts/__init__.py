"""Steps of the workflow: one script per rule, and the library they share."""
