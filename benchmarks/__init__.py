"""Speed, scale and quality, each beside a baseline measured in the same run."""
