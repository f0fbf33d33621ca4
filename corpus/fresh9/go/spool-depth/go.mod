module example.com/print/spool

go 1.18
