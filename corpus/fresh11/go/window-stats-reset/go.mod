module example.com/gaugeworks/window

go 1.22
