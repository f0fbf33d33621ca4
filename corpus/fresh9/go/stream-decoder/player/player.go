package player

import (
	"context"
	"time"
)

// Frame of decoded sound.
type Frame [4]int16

// Decoder makes frames.
type Decoder interface {
	Decode(packet []byte) (Frame, error)
}

// Player decodes a stream ahead of time.
type Player struct {
	dec    Decoder
	queue  []Frame
	cancel context.CancelFunc
}

// New makes a player.
func New(d Decoder) *Player { return &Player{dec: d} }

// Play begins to decode packets.
func (p *Player) Play(packets <-chan []byte) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go p.decode(ctx, packets)
}

func (p *Player) decode(ctx context.Context, packets <-chan []byte) {
	for {
		select {
		case <-ctx.Done():
			return
		case pkt, ok := <-packets:
			if !ok {
				return
			}
			f, err := p.dec.Decode(pkt)
			if err != nil {
				continue
			}
			p.queue = append(p.queue, f) //race:Player.queue
		}
	}
}

// Reset stops decoding and drops what is decoded.
func (p *Player) Reset() int {
	p.cancel()
	n := len(p.queue) //race:Player.queue
	p.queue = nil     //race:Player.queue
	return n
}

// Drain waits a moment for the sound card.
func (p *Player) Drain(d time.Duration) { time.Sleep(d) }
