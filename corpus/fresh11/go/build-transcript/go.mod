module example.com/forge/runner

go 1.25
