module example.com/judge/sandbox

go 1.18
