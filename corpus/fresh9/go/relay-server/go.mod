module example.com/mail/relay

go 1.21
