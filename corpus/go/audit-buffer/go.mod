module example.com/ops/audit

go 1.18
