module example.com/scriptd/sandbox

go 1.22
