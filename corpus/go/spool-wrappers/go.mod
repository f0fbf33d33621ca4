module example.com/mail/spool

go 1.18
