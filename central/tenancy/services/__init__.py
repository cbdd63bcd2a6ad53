"""Writing organisations, tokens and memberships. Each change writes a row to the audit log.

`actor` makes the change, named as in `central.tenancy.audit`.
"""
