module example.com/ops/agentd

go 1.18
