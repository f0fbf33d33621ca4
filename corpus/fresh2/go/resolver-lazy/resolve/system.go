// Package resolve finds the addresses of hosts.
package resolve

import "time"

// System is where the settings of the machine are read.
type System interface {
	Hosts() map[string]string
	Servers() []string
}

// Disk has settings that were written before.
type Disk struct {
	Seek   time.Duration
	Table  map[string]string
	Server []string
}

// Hosts reads the table.
func (d *Disk) Hosts() map[string]string {
	time.Sleep(d.Seek)
	return d.Table
}

// Servers reads whom to ask.
func (d *Disk) Servers() []string {
	time.Sleep(d.Seek)
	return d.Server
}
