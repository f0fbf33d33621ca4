"""Where documents come from: files, folders, archives and pipes."""
