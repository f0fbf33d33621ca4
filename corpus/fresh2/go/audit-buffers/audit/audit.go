package audit

import "bytes"

// Audit has what was done and what was refused.
type Audit struct {
	trail   bytes.Buffer
	refused bytes.Buffer
}

// Did notes what somebody did.
func (a *Audit) Did(who, what string) {
	line(&a.trail, who, what) //race:Audit.trail
}

// Refused notes what somebody was not allowed to do.
func (a *Audit) Refused(who, what string) {
	line(&a.refused, who, what) //race:Audit.refused
}
