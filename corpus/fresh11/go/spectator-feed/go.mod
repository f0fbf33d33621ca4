module example.com/arcade/spectate

go 1.22
