package main

import (
	"fmt"
	"time"

	"example.com/auth/guard/guard"
)

type form struct{ account, password string }

func login(g *guard.Guard, f form) string {
	if !g.Allowed(f.account) {
		return "locked"
	}
	if f.password != "letmein" {
		g.Failed(f.account)
		return "wrong"
	}
	return "ok"
}

func main() {
	g := guard.New(3 * time.Millisecond)
	defer g.Close()
	answers := map[string]int{}
	for i := 0; i < 30; i++ {
		answers[login(g, form{fmt.Sprintf("acct-%d", i%3), "guess"})]++
		time.Sleep(500 * time.Microsecond)
	}
	fmt.Println(answers["wrong"] > 0)
}
