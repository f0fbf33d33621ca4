package audit

import (
	"bytes"
	"fmt"
)

// Recorder writes what happened.
type Recorder struct {
	out bytes.Buffer
}

// Login records that a user came.
func (r *Recorder) Login(user string) {
	fmt.Fprintf(&r.out, "login %s\n", user) //race:Recorder.out
}

// Logout records that a user left.
func (r *Recorder) Logout(user string) {
	r.out.WriteString("logout " + user + "\n") //race:Recorder.out
}
