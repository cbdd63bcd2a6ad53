"""CodeQuery: questions answered from a vector store of OpenAI's."""
