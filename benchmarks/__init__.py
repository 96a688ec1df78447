"""Speed, scale and quality, each next to a baseline measured in the same run."""
