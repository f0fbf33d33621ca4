module example.com/kestrel/seglog

go 1.22
