module example.com/chat/presence

go 1.18
