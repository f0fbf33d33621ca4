module example.com/db/journal

go 1.18
