package host

import "time"

// Logger is where a plugin's words go.
type Logger interface {
	Say(plugin, what string)
}

type quiet struct{}

func (quiet) Say(string, string) {}

// Plugin is a running plugin.
type Plugin struct {
	Name   string
	events <-chan string
	logger Logger
}

// Launch starts a plugin.
func Launch(name string, events <-chan string) *Plugin {
	p := &Plugin{Name: name, events: events}
	go p.listen()
	time.Sleep(time.Millisecond) // let it load its libraries
	p.logger = quiet{}           //race:Plugin.logger
	return p
}

func (p *Plugin) listen() {
	for e := range p.events {
		p.deliver(e)
		time.Sleep(2 * time.Millisecond)
	}
}

func (p *Plugin) deliver(event string) {
	if to := p.logger; to != nil { //race:Plugin.logger
		to.Say(p.Name, event)
	}
}
