// Package alarm rings at a time.
package alarm

import "container/heap"

// Alarm rings at a tick.
type Alarm struct {
	Tick int
	Name string
}

type alarms []Alarm

func (a alarms) Len() int { return len(a) }

func (a alarms) Less(i, j int) bool {
	return a[i].Tick < a[j].Tick //race:Clock.alarms[]
}

func (a alarms) Swap(i, j int) {
	a[i], a[j] = a[j], a[i] //race:Clock.alarms[]
}

func (a *alarms) Push(x any) {
	*a = append(*a, x.(Alarm)) //race:Clock.alarms,Clock.alarms[]
}

func (a *alarms) Pop() any {
	old := *a               //race:Clock.alarms
	last := old[len(old)-1] //race:Clock.alarms[]
	*a = old[:len(old)-1]   //race:Clock.alarms
	return last
}

// Clock has the alarms that are to ring.
type Clock struct {
	alarms alarms
}

// Set adds an alarm.
func (c *Clock) Set(one Alarm) {
	heap.Push(&c.alarms, one) //race:Clock.alarms
}

// Due takes the alarms off that ring up to a tick.
func (c *Clock) Due(tick int) (ringing []Alarm) {
	for {
		waiting := c.alarms                              //race:Clock.alarms
		if len(waiting) == 0 || waiting[0].Tick > tick { //race:Clock.alarms[]
			return ringing
		}
		ringing = append(ringing, heap.Pop(&c.alarms).(Alarm)) //race:Clock.alarms
	}
}
