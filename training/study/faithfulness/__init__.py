"""Whether a map of the picture shows what the answer depends on, measured by taking patches away and putting them back.

In: a model file and photos. Out: a JSON file of figures, a page with a plot and a contact sheet. What is in the JSON
file says `report/faithfulness.py`. Keras is imported only for the maps that no model file gives.
"""
