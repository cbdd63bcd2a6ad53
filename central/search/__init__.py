"""From a query to ranked results with a receipt."""
