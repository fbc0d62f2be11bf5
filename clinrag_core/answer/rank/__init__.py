"""Orders the statements of all knowledge bases by how well they answer a question."""
