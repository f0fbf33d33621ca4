module example.com/inkwell/tail

go 1.22
