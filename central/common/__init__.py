"""What every app uses and no app owns: errors, problem details, paging, health, checks."""
