"""The requests and answers of the service, each a record. Serializers, tools, options and models of
the sidecar are made from them. It imports neither Django nor a client's library.
"""
