module example.com/site/tmpl

go 1.18
