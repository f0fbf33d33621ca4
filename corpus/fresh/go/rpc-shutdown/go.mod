module rpc.example.com/server

go 1.18
