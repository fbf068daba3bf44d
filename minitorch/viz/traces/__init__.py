"""The numbers of launches that views share."""
