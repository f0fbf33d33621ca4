package guide

import "time"

// Player speaks into one pair of headphones.
type Player struct {
	delay time.Duration
	heard chan string
}

func (p *Player) say(c *Clip) {
	time.Sleep(p.delay)
	if c.room > 0 { //race:Clip.room
		p.heard <- c.words //race:Clip.words
	}
}
