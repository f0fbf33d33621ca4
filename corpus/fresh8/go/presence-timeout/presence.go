package main

import (
	"fmt"
	"time"
)

type presence string

const (
	here presence = "here"
	away presence = "away"
)

// member is one user of a channel.
type member struct {
	nick     string
	presence presence
	idle     *time.Timer
	limit    time.Duration
}

func join(nick string, limit time.Duration) *member {
	m := &member{nick: nick, presence: here, limit: limit}
	m.idle = time.AfterFunc(limit, m.fade)
	return m
}

func (m *member) fade() {
	time.Sleep(500 * time.Microsecond)
	m.presence = away //race:member.presence
}

// speak says that the member is active.
func (m *member) speak() presence {
	m.idle.Stop()
	before := m.presence //race:member.presence
	m.presence = here    //race:member.presence
	return before
}

type channel struct {
	members []*member
}

func (c *channel) broadcast(from *member, text string) int {
	from.speak()
	return len(c.members) * len(text)
}

func main() {
	ada := join("ada", time.Millisecond)
	c := &channel{members: []*member{ada, join("bob", time.Hour)}}
	time.Sleep(1200 * time.Microsecond)
	n := c.broadcast(ada, "hello")
	time.Sleep(2 * time.Millisecond)
	fmt.Println("sent", n)
}
