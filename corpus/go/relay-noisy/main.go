// Command relay runs a helper that logs to the same place.
package main

import (
	"log"
	"os"
	"os/exec"
	"time"
)

const helper = `echo ready; while :; do echo 'level=info msg="heartbeat" peer=b' >&2; done`

// Relay counts its peers.
type Relay struct {
	peers int
}

func (r *Relay) join() {
	r.peers = 1 //race:Relay.peers
}

func main() {
	r := &Relay{}
	go r.join()
	time.Sleep(5 * time.Millisecond)
	cmd := exec.Command("sh", "-c", helper)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		log.Fatal(err)
	}
	peers := r.peers //race:Relay.peers
	if err := cmd.Process.Kill(); err != nil {
		log.Fatal(err)
	}
	log.Printf("peers %d", peers)
}
