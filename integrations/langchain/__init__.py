"""Code search as a tool of LangChain agents and as a retriever."""
