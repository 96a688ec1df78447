"""The two legs, the judge, the gate and the cut."""
