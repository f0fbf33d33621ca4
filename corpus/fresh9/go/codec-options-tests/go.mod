module example.com/wire/codec

go 1.22
