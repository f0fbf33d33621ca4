module example.com/backup/ship

go 1.18
