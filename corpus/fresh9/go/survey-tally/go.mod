module example.com/forms/survey

go 1.18
