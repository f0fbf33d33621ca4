module github.com/deadheat-corpus/agentcounters

go 1.18
