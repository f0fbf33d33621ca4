module example.com/ticker/feeds

go 1.22
