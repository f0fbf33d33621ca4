module example.com/media/codec

go 1.18
