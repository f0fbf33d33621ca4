module github.com/deadheat-corpus/agentcollector

go 1.18
