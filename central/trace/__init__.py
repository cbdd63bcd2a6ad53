"""Who uses what: callers, callees, graphs and impact over every repository in sight."""
