package sonar

import "time"

func (w *Sweeper) listen(pings time.Duration) {
	for raw := 1.0; ; raw++ {
		select {
		case <-w.port:
			return
		case w.echoes <- w.echo(raw):
			time.Sleep(pings)
		}
	}
}

func (w *Sweeper) echo(raw float64) Echo {
	strength := raw * w.gain //race:Sweeper.gain
	beam := w.beam           //race:Sweeper.beam
	return Echo{Strength: strength, Beam: beam}
}

// Port ends the sweep and says how often it pinged.
func (w *Sweeper) Port() int {
	close(w.port)
	return len(w.echoes)
}
