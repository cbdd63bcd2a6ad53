"""How dates and times are written in the admin: `FORMAT_MODULE_PATH` names this package."""
