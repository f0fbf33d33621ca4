module git.example.org/obs/gauges

go 1.18
