package guide

import "time"

// Tour leads visitors through the rooms.
type Tour struct {
	rack   Rack
	player *Player
	texts  map[int]string
}

// NewTour returns a tour whose headphones lag behind.
func NewTour(texts map[int]string, delay time.Duration) *Tour {
	return &Tour{player: &Player{delay: delay, heard: make(chan string, 32)}, texts: texts}
}

// Enter is called when a visitor comes into a room.
func (t *Tour) Enter(room int) {
	clip := t.rack.take()
	defer t.rack.give(clip)
	t.fill(clip, room)
	go t.player.say(clip)
}

func (t *Tour) fill(c *Clip, room int) {
	c.room = room           //race:Clip.room
	c.words = t.texts[room] //race:Clip.words
}
