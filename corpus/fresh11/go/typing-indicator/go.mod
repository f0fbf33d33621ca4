module example.com/chatline/typing

go 1.22
