module example.com/postern/signup

go 1.22
