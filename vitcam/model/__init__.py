"""The model file and what runs it. In: a Frame. Out: a Prediction. May block: only for one inference."""
