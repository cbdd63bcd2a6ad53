"""Who owns a file: CODEOWNERS of the indexed commit, read by the rules of GitHub or GitLab."""
