// Package vault keeps secrets.
package vault

import (
	"errors"
	"sync"
)

// ErrSealed says that the vault is sealed.
var ErrSealed = errors.New("vault: sealed")

type state struct {
	sealed  bool
	version uint64
	keys    []string
}

// Vault keeps secrets while it is not sealed.
type Vault struct {
	sync.RWMutex
	state
}

// Unseal opens the vault.
func (v *Vault) Unseal(keys ...string) {
	v.Lock()
	defer v.Unlock()
	v.keys = keys
	v.sealed = false //race:vault.sealed
	v.bump()
}

// Seal closes the vault.
func (v *Vault) Seal() {
	v.Lock()
	defer v.Unlock()
	v.keys = nil
	v.sealed = true //race:vault.sealed
	v.bump()
}

// bump is called with the lock held.
func (v *Vault) bump() {
	v.version++ //race:vault.version
}

// Key gives a key.
func (v *Vault) Key(at int) (string, error) {
	v.RLock()
	defer v.RUnlock()
	if v.sealed {
		return "", ErrSealed
	}
	return v.keys[at], nil
}
