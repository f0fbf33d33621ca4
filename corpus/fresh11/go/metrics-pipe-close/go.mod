module example.com/gaugeworks/pipe

go 1.22
