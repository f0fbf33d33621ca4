package vault

import "strconv"

// Status is what monitoring sees.
type Status struct {
	Sealed  bool
	Version uint64
}

// Status tells monitoring how the vault is.
func (v *Vault) Status() (s Status) {
	s.Sealed = v.sealed   //race:vault.sealed
	s.Version = v.version //race:vault.version
	return s
}

// String is for logs.
func (v *Vault) String() string {
	return "vault v" + strconv.FormatUint(v.version, 10) //race:vault.version
}
