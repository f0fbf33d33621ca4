package mta

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Message is mail on its way.
type Message struct {
	From, To string
	Body     string
}

// Transport hands a message to the next host.
type Transport interface {
	Send(ctx context.Context, host string, m Message) error
}

// Archive keeps copies.
type Archive interface {
	File(m Message) error
}

// Agent delivers mail.
type Agent struct {
	Transport Transport
	Archive   Archive
}

var errNoHost = errors.New("recipient has no host")

func hostOf(address string) (string, error) {
	_, host, ok := strings.Cut(address, "@")
	if !ok || host == "" {
		return "", errNoHost
	}
	return host, nil
}

// Deliver sends a message and files a copy of it meanwhile.
func (a *Agent) Deliver(ctx context.Context, m Message) error {
	host, err := hostOf(m.To)
	if err != nil {
		return fmt.Errorf("%s: %w", m.To, err)
	}
	filed := make(chan struct{})
	go func() {
		defer close(filed)
		if err = a.Archive.File(m); err != nil { //race:err
			a.report(m, err) //race:err
		}
	}()

	err = a.Transport.Send(ctx, host, m) //race:err
	if err != nil {                      //race:err
		err = fmt.Errorf("deliver to %s: %w", host, err) //race:err
	}
	<-filed
	return err
}

func (a *Agent) report(m Message, cause error) {
	_ = fmt.Sprintf("copy of %s's mail was not filed: %v", m.From, cause)
}
