package audit

import "time"

type Entry struct {
	At     time.Time
	Actor  string
	Action string
}

type Hook interface {
	Name() string
	OnEntry(Entry)
}

// Trail hands every entry to all hooks.
type Trail struct {
	hooks []Hook
	clock func() time.Time
}

func NewTrail() *Trail {
	return &Trail{clock: time.Now}
}

func (t *Trail) AddHook(h Hook) {
	for _, have := range t.hooks { //race:Trail.hooks
		if have.Name() == h.Name() {
			return
		}
	}
	t.hooks = append(t.hooks, h) //race:Trail.hooks
}

func (t *Trail) Record(actor, action string) {
	e := Entry{At: t.clock(), Actor: actor, Action: action}
	for _, h := range t.hooks { //race:Trail.hooks
		h.OnEntry(e)
	}
}
