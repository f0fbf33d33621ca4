module example.com/video/segments

go 1.18
