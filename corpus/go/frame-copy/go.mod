module example.com/media/frame

go 1.18
