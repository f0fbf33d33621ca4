module example.com/train/epochs

go 1.18
