module example.com/blob/parts

go 1.18
