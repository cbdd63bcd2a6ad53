"""Every vector store on the same chunks: loading, sizes, latencies, recall.

`python -m benchmarks stores [--chunks N] [--store edge …] [--out FILE]`
"""
