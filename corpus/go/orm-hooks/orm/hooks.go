package orm

// Hook is told of a change.
type Hook func(id int)

// Hooks are called in order.
type Hooks struct {
	byEvent map[string][]Hook
}

// On adds a hook.
func (h *Hooks) On(event string, hook Hook) {
	if h.byEvent == nil {
		h.byEvent = map[string][]Hook{}
	}
	h.byEvent[event] = append(h.byEvent[event], hook)
}

func (h *Hooks) fire(event string, id int) {
	for _, hook := range h.byEvent[event] {
		hook(id)
	}
}
