module plugins.example.org/host

go 1.18
