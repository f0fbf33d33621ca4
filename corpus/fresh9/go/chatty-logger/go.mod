module go.example.dev/kit/log

go 1.18
