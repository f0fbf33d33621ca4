module example.com/polyglot/messages

go 1.22
