"""Every statement that the service sends, explained with a generic and with a custom plan."""
