module git.example.org/platform/notify

go 1.18
