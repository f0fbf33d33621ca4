// Package watchdog notices that something has stopped.
package watchdog

import "time"

// Alarm is raised by a watchdog.
type Alarm func(strikes int)

// Watchdog wants to be fed.
type Watchdog struct {
	patience time.Duration
	alarm    Alarm
	timer    *time.Timer
	strikes  int
	hungry   bool
}

// New returns a watchdog that is not armed.
func New(patience time.Duration, alarm Alarm) *Watchdog {
	return &Watchdog{patience: patience, alarm: alarm}
}

// Arm starts the clock.
func (w *Watchdog) Arm() {
	w.timer = time.AfterFunc(w.patience, w.bark)
}

func (w *Watchdog) bark() {
	time.Sleep(4 * time.Millisecond) // the dump of all stacks
	w.hungry = true                  //race:Watchdog.hungry
	w.strikes++                      //race:Watchdog.strikes
	w.alarm(1)
}

// Feed starts the clock anew.
func (w *Watchdog) Feed() {
	w.timer.Stop()
	w.hungry = false //race:Watchdog.hungry
	w.timer.Reset(10 * w.patience)
}

// Disarm stops the clock and returns how often it ran out.
func (w *Watchdog) Disarm() int {
	w.timer.Stop()
	return w.strikes //race:Watchdog.strikes
}
