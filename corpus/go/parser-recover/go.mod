module example.com/lang/parser

go 1.18
