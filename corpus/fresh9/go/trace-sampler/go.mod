module example.com/apm/agent

go 1.18
