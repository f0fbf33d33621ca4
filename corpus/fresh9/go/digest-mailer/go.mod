module example.com/mail/digest

go 1.18
