module example.com/ls/index

go 1.21
