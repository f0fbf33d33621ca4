package main

import (
	"fmt"
	"time"
)

type buildInfo struct {
	version string
	commit  string
}

type request struct {
	path  string
	reply chan string
}

// admin answers questions about the daemon.
type admin struct {
	inbox chan request
	info  *buildInfo
}

func (a *admin) serve() {
	for r := range a.inbox {
		r.reply <- a.answer(r.path)
	}
}

func (a *admin) answer(path string) string {
	if path == "/version" && a.info != nil { //race:admin.info
		return "v1"
	}
	return "not found"
}

type daemon struct {
	admin *admin
}

func startDaemon() *daemon {
	d := &daemon{admin: &admin{inbox: make(chan request)}}
	go d.admin.serve()
	go d.selfCheck()
	time.Sleep(time.Millisecond)
	d.admin.info = &buildInfo{"1.4.0", "9f3c"} //race:admin.info
	return d
}

func (d *daemon) selfCheck() {
	r := request{"/version", make(chan string, 1)}
	for i := 0; i < 5; i++ {
		d.admin.inbox <- r
		<-r.reply
		time.Sleep(300 * time.Microsecond)
	}
}

func main() {
	d := startDaemon()
	time.Sleep(3 * time.Millisecond)
	fmt.Println("daemon", d.admin != nil)
}
