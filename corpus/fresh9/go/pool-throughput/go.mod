module example.com/media/transcode

go 1.18
