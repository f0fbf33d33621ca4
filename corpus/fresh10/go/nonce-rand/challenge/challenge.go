// Package challenge issues nonces that clients have to sign.
package challenge

import (
	"encoding/hex"
	"math/rand"
	"sync"
	"time"
)

// Issuer makes challenges and remembers them until they are answered.
type Issuer struct {
	random *rand.Rand
	valid  time.Duration

	mu   sync.Mutex
	open map[string]time.Time
}

// NewIssuer makes an issuer of short-lived challenges.
func NewIssuer(seed int64, valid time.Duration) *Issuer {
	return &Issuer{
		random: rand.New(rand.NewSource(seed)),
		valid:  valid,
		open:   map[string]time.Time{},
	}
}

func (i *Issuer) nonce() string {
	var raw [12]byte
	for at := range raw {
		raw[at] = byte(i.random.Intn(256)) //race:Issuer.random
	}
	return hex.EncodeToString(raw[:])
}

// Issue makes a challenge.
func (i *Issuer) Issue() string {
	n := i.nonce()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open[n] = time.Now().Add(i.valid)
	return n
}

// Answer takes a challenge back, if it is still open.
func (i *Issuer) Answer(nonce string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	until, ok := i.open[nonce]
	delete(i.open, nonce)
	return ok && time.Now().Before(until)
}
