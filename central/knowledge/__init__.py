"""Documents, policies and decisions of an organisation, linked to its code, and questions to them."""
