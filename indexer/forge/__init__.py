"""GitHub's REST API, for whole organisations: lists, filters and pull requests with the workflow.

Knows neither credentials of an App nor what is indexed.
"""
