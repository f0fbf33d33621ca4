module example.com/db/cursor

go 1.18
