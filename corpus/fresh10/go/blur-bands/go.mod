module example.com/darkroom/blur

go 1.22
