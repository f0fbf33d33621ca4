module example.com/tui/screen

go 1.18
