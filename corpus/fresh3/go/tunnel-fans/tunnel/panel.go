package tunnel

import "fmt"

// Panel hangs in the control room.
type Panel struct {
	Tunnel *Tunnel
}

// Text is what the panel shows.
func (p Panel) Text() string {
	in, out := p.fans()
	if at := p.alarm(); at > 0 {
		return fmt.Sprintf("in %d, out %d, smoke in minute %d", in, out, at)
	}
	return fmt.Sprintf("in %d, out %d", in, out)
}

func (p Panel) fans() (in, out int) {
	in = p.Tunnel.intake.speed() //race:Tunnel.intake
	out = p.Tunnel.vent.speed()  //race:Tunnel.vent
	return in, out
}

func (p Panel) alarm() int {
	return p.Tunnel.alarm //race:Tunnel.alarm
}
