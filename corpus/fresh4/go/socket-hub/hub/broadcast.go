package hub

import "time"

// Broadcast offers a message to every client, slowly, so as not to flood the line.
func (h *Hub) Broadcast(message []byte, gap time.Duration) int {
	sent := 0
	for _, c := range h.everyone() {
		time.Sleep(gap)
		if deliver(c, message) {
			sent++
		}
	}
	return sent
}

func deliver(c *client, message []byte) bool {
	select {
	case c.out <- message: //race:client.out
		return true
	default:
		return false
	}
}
