"""What comes before the best statement, whatever the ranking says: warnings and what decides."""
