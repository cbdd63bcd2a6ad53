"""The wire format of an index run, both ways: gzip NDJSON batches and the NDJSON tree.

Each line is a JSON object. A file line has the fields of FileRecord, its chunks those of Chunk with
the span as `start` and `end` and the arrays as base64 of little-endian uint32 or float32; a
removal is `{"path": …, "removed": true}`; a tree line has the fields of TreeEntry. Frequent items
of a file or manifest (imports, references, pins) are arrays without keys.

`schema` defines the fields; `encode` and `gzip` write them, `decode` checks and reads them. Only
`decode` needs numpy.
"""
