// Package bucket hands out tokens.
package bucket

// Bucket holds tokens.
type Bucket struct {
	tokens int
}

// New returns a bucket with n tokens.
func New(n int) *Bucket {
	return &Bucket{tokens: n}
}

// Take takes a token, if there is one.
func (b *Bucket) Take() bool {
	if b.tokens == 0 { //race:Bucket.tokens
		return false
	}
	b.tokens-- //race:Bucket.tokens
	return true
}
