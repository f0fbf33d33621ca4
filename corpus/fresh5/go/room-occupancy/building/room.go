package building

import (
	"sync"
	"time"
)

// Room is a room with doors.
type Room struct {
	capacity int

	mu     sync.RWMutex
	people int
	peak   int
}

// NewRoom makes an empty room.
func NewRoom(capacity int) *Room {
	return &Room{capacity: capacity}
}

// Full is asked by every door for every person, so it is quick.
func (r *Room) Full() bool {
	return r.people >= r.capacity //race:Room.people
}

// Enter lets a person in.
func (r *Room) Enter() bool {
	if r.Full() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.people++ //race:Room.people
	if r.people > r.peak {
		r.peak = r.people
	}
	return true
}

// Leave lets a person out.
func (r *Room) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.people-- //race:Room.people
}

// Door moves people through.
func Door(r *Room, n int) {
	for i := 0; i < n; i++ {
		if r.Enter() {
			time.Sleep(time.Millisecond)
			r.Leave()
		}
	}
}
