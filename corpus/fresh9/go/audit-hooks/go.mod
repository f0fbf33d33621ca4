module go.example.dev/audit

go 1.18
