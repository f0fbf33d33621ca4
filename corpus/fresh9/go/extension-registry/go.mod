module example.com/editor/ext

go 1.18
