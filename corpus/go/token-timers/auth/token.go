// Package auth keeps a token fresh.
package auth

import "time"

// Token is what requests carry.
type Token struct {
	value  string
	expiry int64
}

// Keeper renews its token.
type Keeper struct {
	token Token
}

// Keep starts the timers.
func (k *Keeper) Keep(every time.Duration) {
	time.AfterFunc(every, func() {
		k.token.value = "fresh" //race:Token.value
	})
	time.AfterFunc(2*every, func() {
		k.token.expiry = 3600 //race:Token.expiry
	})
}

func (k *Keeper) bearer() string {
	return "Bearer " + k.token.value //race:Token.value
}

func (k *Keeper) valid(now int64) bool {
	return now < k.token.expiry //race:Token.expiry
}
