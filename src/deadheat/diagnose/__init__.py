"""Why a report's accesses race: rules find causes, one place ranks them; knows no text and no file."""
