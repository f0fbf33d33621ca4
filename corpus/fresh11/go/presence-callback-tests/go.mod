module example.com/chatline/presence

go 1.22
