module example.com/inbox/poller

go 1.18
