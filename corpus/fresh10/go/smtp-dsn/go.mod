module example.com/postern/mta

go 1.22
