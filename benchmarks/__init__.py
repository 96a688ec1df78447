"""Speed, quality and scale, side by side with baselines."""
