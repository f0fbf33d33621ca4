module example.com/bank/ledger

go 1.19
