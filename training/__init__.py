"""How the shipped embedder and re-ranker are made: data, training, packing, evaluation."""
