"""`/openapi.json`: the description of the HTTP interface (OpenAPI 3.1), made from the table of routes."""
