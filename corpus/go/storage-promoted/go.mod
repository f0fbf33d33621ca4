module example.com/db/storage

go 1.18
