module example.com/quorate/raft

go 1.22
