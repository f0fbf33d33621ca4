package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/smtpbuffers/smtp"
)

func main() {
	srv := smtp.NewServer(2)
	for _, line := range []string{"HELO a.example", "MAIL FROM:<x@a>", "RCPT TO:<y@b>", "DATA", "QUIT"} {
		srv.Handle(line)
		time.Sleep(500 * time.Microsecond)
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println("served")
}
