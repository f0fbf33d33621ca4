module example.com/chat/hub

go 1.18
