module example.com/ops/probe

go 1.18
