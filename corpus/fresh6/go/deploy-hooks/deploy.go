package main

import (
	"errors"
	"fmt"
	"time"
)

var errHook = errors.New("hook failed")

type release struct {
	app     string
	version string
	nodes   []string
}

type hook struct {
	name string
	run  func(r release) error
}

type deployer struct {
	hooks  []hook
	warned []string
}

func (d *deployer) push(node, version string) (string, error) {
	time.Sleep(400 * time.Microsecond)
	if node == "" {
		return "", errors.New("node without a name")
	}
	return node + "@" + version, nil
}

func (d *deployer) runHooks(r release) error {
	for _, h := range d.hooks {
		if err := h.run(r); err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
	}
	return nil
}

// deploy brings a release to all nodes.
func (d *deployer) deploy(r release) ([]string, error) {
	var (
		placed []string
		err    error
	)
	notified := make(chan bool, 1)
	go func() {
		err = d.runHooks(r)    //race:err
		notified <- err == nil //race:err
	}()

	for _, n := range r.nodes {
		var at string
		at, err = d.push(n, r.version) //race:err
		if err != nil {                //race:err
			return placed, fmt.Errorf("push to %s: %w", n, err) //race:err
		}
		placed = append(placed, at)
	}
	if !<-notified {
		d.warned = append(d.warned, r.app)
	}
	return placed, nil
}
