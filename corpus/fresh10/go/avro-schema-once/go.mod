module example.com/conduit/avro

go 1.22
