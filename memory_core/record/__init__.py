"""What was said in every session, captured once and redacted."""
