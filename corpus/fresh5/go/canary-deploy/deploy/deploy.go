package deploy

import (
	"errors"
	"fmt"
	"time"
)

// Cluster is where things run.
type Cluster interface {
	Push(image string) error
	Shift(percent int) error
	Probe() error
}

// Canary brings an image out to a part of the traffic first.
func Canary(c Cluster, image string, steps []int) error {
	err := c.Push(image)
	if err != nil {
		return fmt.Errorf("push %s: %w", image, err)
	}
	probed := make(chan struct{})
	go func() {
		defer close(probed)
		err = c.Probe() //race:Canary.err
	}()
	for _, percent := range steps {
		err = c.Shift(percent) //race:Canary.err
		if err != nil {        //race:Canary.err
			return err
		}
	}
	<-probed
	return err
}

// Fake is a cluster for dry runs.
type Fake struct {
	Delay time.Duration
}

var errSmoke = errors.New("smoke")

// Push does nothing.
func (f Fake) Push(string) error { return nil }

// Shift waits a little.
func (f Fake) Shift(int) error {
	time.Sleep(f.Delay)
	return nil
}

// Probe waits longer.
func (f Fake) Probe() error {
	time.Sleep(3 * f.Delay)
	return errSmoke
}
