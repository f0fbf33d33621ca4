package main

import (
	"fmt"
	"time"
)

type device struct {
	id      string
	healthy bool
}

type rpcServer struct {
	socket string
}

// plugin offers devices to the node.
type plugin struct {
	server  *rpcServer
	devices map[string]*device
	ticks   int
}

func (p *plugin) Start(socket string) {
	p.server = &rpcServer{socket}
	go p.health(time.Millisecond / 2)
}

func (p *plugin) health(every time.Duration) {
	for i := 0; i < 20; i++ {
		if !p.serving() {
			return
		}
		p.ticks += p.count()
		time.Sleep(every)
	}
}

func (p *plugin) serving() bool {
	return p.server != nil //race:plugin.server
}

func (p *plugin) count() int {
	all := p.devices //race:plugin.devices
	return len(all)
}

func (p *plugin) Stop() {
	p.devices = nil //race:plugin.devices
	p.server = nil  //race:plugin.server
}

func main() {
	p := &plugin{devices: map[string]*device{"gpu0": {"gpu0", true}, "gpu1": {"gpu1", true}}}
	p.Start("/var/lib/kubelet/gpu.sock")
	time.Sleep(2 * time.Millisecond)
	p.Stop()
	time.Sleep(2 * time.Millisecond)
	fmt.Println("stopped")
}
