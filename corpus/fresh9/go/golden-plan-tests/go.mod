module example.com/sql/planner

go 1.20
