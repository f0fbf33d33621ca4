module example.com/darkroom/thumbs

go 1.22
