module example.com/toggles/eval

go 1.22
