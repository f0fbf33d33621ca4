module example.com/reports/render

go 1.18
