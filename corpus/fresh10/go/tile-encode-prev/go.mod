module example.com/mosaic/tiles

go 1.22
