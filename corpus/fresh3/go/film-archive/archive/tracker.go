package archive

// Tracker sums up memory, for itself and for its parents.
type Tracker struct {
	label  string
	parent *Tracker
	bytes  int64
	peak   int64
}

// NewTracker returns a tracker below another one, or at the root.
func NewTracker(label string, parent *Tracker) *Tracker {
	return &Tracker{label: label, parent: parent}
}

// Consume charges bytes.
func (t *Tracker) Consume(n int64) {
	for at := t; at != nil; at = at.parent {
		at.grow(n)
	}
}

func (t *Tracker) grow(n int64) {
	t.bytes += n      //race:Tracker.bytes
	now := t.bytes    //race:Tracker.bytes
	if now > t.peak { //race:Tracker.peak
		t.peak = now //race:Tracker.peak
	}
}
