module example.com/audio/stream

go 1.18
