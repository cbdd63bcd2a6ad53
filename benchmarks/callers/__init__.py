"""Who calls this, in any repository: the answers of the service beside those of a precise tool."""
