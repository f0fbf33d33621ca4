// Command agent schedules two tasks.
package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/sched/sched"
)

type agent struct {
	scheduler *sched.Scheduler
}

func (a *agent) boot() {
	a.scheduler.Submit("scan")
	a.scheduler.After("flush", 5)
}

func (a *agent) status() string {
	return fmt.Sprint("pending ", a.scheduler.Pending())
}

func main() {
	a := &agent{&sched.Scheduler{}}
	go a.boot()
	time.Sleep(30 * time.Millisecond)
	fmt.Println(a.status())
}
