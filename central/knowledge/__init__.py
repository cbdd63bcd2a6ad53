"""Documents, policies and decisions of an organisation, linked to its code; questions to them."""
