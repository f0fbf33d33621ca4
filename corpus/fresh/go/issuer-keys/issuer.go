// Package issuer signs tokens with keys that it makes when they are needed.
package issuer

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Key signs tokens for a while.
type Key struct {
	ID     string
	secret []byte
	until  time.Time
}

// Claims are what a token says.
type Claims struct {
	Subject string `json:"sub"`
	Issued  int64  `json:"iat"`
}

// KeySource makes keys; it is slow.
type KeySource func() (*Key, error)

// Issuer signs.
type Issuer struct {
	source KeySource

	mu      sync.Mutex
	current *Key
	made    int
}

// New returns an issuer without a key.
func New(source KeySource) *Issuer {
	return &Issuer{source: source}
}

// key returns the current key and makes it, if there is none.
func (i *Issuer) key() (*Key, error) {
	if k := i.current; k != nil { //race:Issuer.current
		return k, nil
	}
	return i.makeKey()
}

func (i *Issuer) makeKey() (*Key, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.current != nil {
		return i.current, nil
	}
	k, err := i.source()
	if err != nil {
		return nil, fmt.Errorf("issuer: no key: %w", err)
	}
	i.made++
	i.current = k //race:Issuer.current
	return k, nil
}

// Sign returns a token.
func (i *Issuer) Sign(subject string) (string, error) {
	k, err := i.key()
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(Claims{Subject: subject, Issued: time.Now().Unix()})
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, k.secret)
	mac.Write(body)
	enc := base64.RawURLEncoding
	return k.ID + "." + enc.EncodeToString(body) + "." + enc.EncodeToString(mac.Sum(nil)), nil
}
