// Package stmtctx holds what belongs to one statement.
package stmtctx

// Tracker counts bytes.
type Tracker struct {
	Label string
	Used  int64
}

// StatementContext is reset before every statement.
type StatementContext struct {
	MemTracker  *Tracker
	DiskTracker *Tracker
	Text        string
}

// InitTrackers replaces both trackers.
func (sc *StatementContext) InitTrackers(label string) {
	sc.MemTracker = &Tracker{Label: label + ".mem"}   //race:StatementContext.memTracker
	sc.DiskTracker = &Tracker{Label: label + ".disk"} //race:StatementContext.diskTracker
}

// Usage reads both trackers.
func (sc *StatementContext) Usage() (int64, int64) {
	mem := sc.MemTracker   //race:StatementContext.memTracker
	disk := sc.DiskTracker //race:StatementContext.diskTracker
	return mem.Used, disk.Used
}
