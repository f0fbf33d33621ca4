module example.com/remote/exec

go 1.18
