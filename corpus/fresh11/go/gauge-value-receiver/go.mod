module example.com/instrument/gauge

go 1.22
