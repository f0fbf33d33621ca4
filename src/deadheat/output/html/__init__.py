"""HTML pages: a report of all races, and the dossier of each race, made from the same components."""
