package tracker

// Badge is what the web page shows for a build.
func Badge(t *Tracker, n int) string {
	b, ok := t.Get(n)
	if !ok {
		return "unknown"
	}
	if b.Status == Passed { //race:Build.Status
		return "green"
	}
	return "grey"
}
