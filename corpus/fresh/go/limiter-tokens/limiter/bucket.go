package limiter

// bucket is what one client may spend.
type bucket struct {
	client string
	tokens int
	burst  int
}

func (b *bucket) take() bool {
	if b.tokens <= 0 { //race:bucket.tokens
		return false
	}
	b.tokens-- //race:bucket.tokens
	return true
}
