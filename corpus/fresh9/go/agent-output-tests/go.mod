module example.com/ops/agent

go 1.18
