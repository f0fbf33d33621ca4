package prefetch

// Fetcher reads one page ahead.
type Fetcher struct {
	page []byte
	next int
}

func (f *Fetcher) load(n int) {
	f.page = make([]byte, n) //race:Fetcher.page
}

// Prefetch loads the next page in the background.
func (f *Fetcher) Prefetch() {
	f.next += 16
	go f.load(f.next)
}

// Page returns the page loaded last.
func (f *Fetcher) Page() []byte {
	return f.page //race:Fetcher.page
}
