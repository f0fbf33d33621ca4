module example.com/controllers/election

go 1.18
