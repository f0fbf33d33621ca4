module example.com/cli/transfer

go 1.18
